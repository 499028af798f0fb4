// SPDX-License-Identifier: MIT
using Godot;

namespace Session;

public partial class GameSessionNetwork
{
    private const MultiplayerApi.RpcMode Anyone = MultiplayerApi.RpcMode.AnyPeer;

    [Rpc(Anyone)]
    public void ServerRequestNewColorForCallingPeer(Color color) { }

    [Rpc(mode: MultiplayerApi.RpcMode.Authority)]
    public void ClientUpdatePeerIdToPlayerName(int peer, string name, int seat) { }

    [Rpc]
    public void ClientUpdatePeerIdToColorMapping(int peer, Color color) { }
}
