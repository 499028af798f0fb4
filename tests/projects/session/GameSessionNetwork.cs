// SPDX-License-Identifier: MIT
using Godot;

namespace Session;

// One class in four files: its methods are one list.
public partial class GameSessionNetwork : Node
{
    [Rpc(MultiplayerApi.RpcMode.AnyPeer)]
    public void ServerInitGameSessionForCallingPeer(string playerName) { }

    [Rpc]
    public void ClientInitGameSession(string session, string grid) { }
}
