# SPDX-License-Identifier: MIT
# Debian's packages by CPack: godot-wireshark and libgodot-codec-dev. scripts/packages.sh builds them.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL /usr)
  message(FATAL_ERROR "Debian's packages install to /usr: -DCMAKE_INSTALL_PREFIX=/usr")
endif()

if(NOT GODOT_PAGE_LIBRARY OR NOT GODOT_PAGE_LIBRARY_LICENCE)
  message(FATAL_ERROR "The match page of a package has plots: libjs-dygraphs is missing")
endif()

# A plugin is loaded by the one release of Wireshark that it was built for, which has a library's name of its own.
execute_process(COMMAND dpkg-query -S "*/libwireshark.so.*" OUTPUT_VARIABLE owner COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^libwireshark[0-9][0-9a-z]*" library "${owner}")
set(release ${Wireshark_MAJOR_VERSION}.${Wireshark_MINOR_VERSION})
math(EXPR next_minor "${Wireshark_MINOR_VERSION} + 1")
set(next_release ${Wireshark_MAJOR_VERSION}.${next_minor})

# 0.1.0-1~deb12: who moves to the next release of the distribution gets its package, which is newer.
execute_process(COMMAND sh -c ". /etc/os-release && echo \${ID}\${VERSION_ID:-\$VERSION_CODENAME}"
  OUTPUT_VARIABLE distribution OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE debian deb distribution ${distribution})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "godot-wireshark maintainers <maintainers@godot-wireshark.invalid>" CACHE STRING
  "Who maintains the packages")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL plugin codec)
# Wireshark names its folder for plugins by its full path.
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE godot-wireshark)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${distribution})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

if(PROJECT_URL)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_URL})
  set(source_line "\nSource: ${PROJECT_URL}")
endif()

set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME godot-wireshark)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "${library} (>= ${release}~), ${library} (<< ${next_release}~)")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "wireshark | tshark")
set(CPACK_DEBIAN_PLUGIN_DESCRIPTION "traffic of Godot games in Wireshark
A plugin for Wireshark ${release} that decodes the network traffic of games made
with Godot 3 and 4, on any port, and shows what is wrong with it: Variants
over UDP, TCP, WebSocket, WebRTC and ENet, the high-level multiplayer, the
remote debugger, and ENet itself.")

set(CPACK_DEBIAN_CODEC_PACKAGE_NAME libgodot-codec-dev)
set(CPACK_DEBIAN_CODEC_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_CODEC_PACKAGE_RECOMMENDS "libenet-dev, libzstd-dev, pkgconf | pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_CODEC_PACKAGE_SUGGESTS "cmake, g++ (>= 4:12)")
set(CPACK_DEBIAN_CODEC_DESCRIPTION "decoder of the traffic of Godot games (development files)
A C++20 library that decodes the packets of games made with Godot 3 and 4,
without Wireshark and without allocations: Variants, ENet, the high-level
multiplayer and the remote debugger; and whole games over ENet. Headers,
static libraries and their CMake package.")

# What each package has of its own below /usr/share/doc.
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog.Debian @ONLY)
file(READ ${PROJECT_SOURCE_DIR}/LICENSES/MIT.txt mit)
string(STRIP "${mit}" mit)
string(REPLACE "\n" "\n " mit "${mit}")
string(REPLACE "\n \n" "\n .\n" mit "${mit}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${PROJECT_BINARY_DIR}/debian/copyright @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_BINARY_DIR}/debian/changelog COPYONLY)
execute_process(COMMAND gzip -9nf changelog changelog.Debian WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian
  COMMAND_ERROR_IS_FATAL ANY)
foreach(component PLUGIN CODEC)
  string(TOLOWER ${component} name)
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
    ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME} COMPONENT ${name})
endforeach()

# The pages that rows of Problems name, with the README, which says where to report a bug.
file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
if(PROJECT_URL)
  string(REPLACE "in this repository" "at ${PROJECT_URL}/issues" readme "${readme}")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/debian/README.md "${readme}")
install(FILES ${PROJECT_BINARY_DIR}/debian/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/godot-wireshark COMPONENT plugin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/godot-wireshark COMPONENT plugin
  FILES_MATCHING PATTERN "*.md")

# Of the profiles below Wireshark's own folder, the window's list of profiles shows each user a "Global" one.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/profile/Godot DESTINATION ${CMAKE_INSTALL_DATADIR}/wireshark/profiles COMPONENT plugin)

include(CPack)
