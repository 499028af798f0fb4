# SPDX-License-Identifier: MIT
class_name Other
@rpc func of_another_project(): pass
