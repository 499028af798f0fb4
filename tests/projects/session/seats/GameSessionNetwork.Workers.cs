// SPDX-License-Identifier: MIT
using Godot;

namespace Session;

public partial class GameSessionNetwork
{
    [Rpc(Anyone)]
    public void ServerRequestAddWorkerToWorkerGrid(string worker, int column, int row) { }

    [Rpc(Anyone)]
    public void ServerRequestRemoveWorkerFromWorkerGrid(int column, int row) { }

    [Rpc]
    public void ClientUpdateGridWorker(string worker, int seat, Vector2I cell, int level) { }
}
