// SPDX-License-Identifier: MIT
using Godot;

namespace Session;

public partial class GameSessionNetwork
{
    [Rpc(Anyone, TransferChannel = 0)]
    public void ServerRequestSeatForCallingPeer(int seat) { }

    [Rpc]
    public void ClientUpdateSeatIdPeerIdMapping(int seat, int peer) { }

    [Rpc]
    public void ClientUpdateSeatWorker(int seat, string worker) { }
}
