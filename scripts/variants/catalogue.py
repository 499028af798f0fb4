# SPDX-License-Identifier: MIT
"""The variants of variants.py. The key is the variant's name.

fault     what is wrong, in a few words
server    options of the game's server (game/main.gd); None: there is none
clients   options of each client; one without any, if it is not said
line      faults of the line (variants.py's Relay); no relay, if it is not said
other     another program on the port
edits     by side: file, a text in it, what stands there instead
lasts     milliseconds
apart     seconds between the sides' starts
is_server_late  the server is started last
is_at_server  with a relay: captured at the server's side of it
is_long   recorded only if it is named
engine    3: played by Godot 3, in game3
folder    the table is made with the game's folder, godot_mp.project; "client": with a client's
told      what the first rows of the table of problems must say; None: nothing of it is on the wire
"""

LEFT = r"\A(The \w+ (disconnects|leaves)|Nothing found)[^\n]*\Z"

# A second synchronizer, and who sees it.
GEAR = [("player.tscn", '[node name="Player"', '[sub_resource type="SceneReplicationConfig" id="3"]\n'
         'properties/0/path = NodePath(".:rotation")\nproperties/0/spawn = true\nproperties/0/replication_mode = 1\n\n'
         '[node name="Player"'),
        ("player.tscn", 'SubResource("2")', 'SubResource("2")\n\n[node name="Gear" type="MultiplayerSynchronizer" parent="."]\n'
         'replication_config = SubResource("3")\npublic_visibility = false')]
ONE_SEES_GEAR = ("main.gd", "\t$Players.add_child(node)\n",
                 '\t$Players.add_child(node)\n\tnode.get_node("Gear").set_visibility_for(multiplayer.get_peers()[0], true)\n')

OWN_ALL = ("player.gd", "var hp := 100\n", "var hp := 100\n\n\nfunc _enter_tree() -> void:\n"
           "\tset_multiplayer_authority(multiplayer.get_unique_id())\n")
OWN_OWN = ("player.gd", "var hp := 100\n", "var hp := 100\n\n\nfunc _enter_tree() -> void:\n"
           "\tset_multiplayer_authority(str(name).to_int())\n")
GIVE = ("player.gd", '@rpc("any_peer", "call_remote", "reliable")\nfunc heal', '@rpc("any_peer", "call_local", "reliable")\n'
        'func give(id: int) -> void:\n\tset_multiplayer_authority(id)\n\n\n@rpc("any_peer", "call_remote", "reliable")\nfunc heal')
MOVES = ("player.gd", "var hp := 100\n", "var hp := 100\n\n\nfunc _physics_process(_delta: float) -> void:\n"
         "\tif is_multiplayer_authority():\n\t\tposition += Vector2(1, 0.5)\n")
# Each call of the method makes another one at the other peer.
ECHO = ("world.gd", 'func take_damage(_amount: int, _by: String = "") -> void:\n\tpass',
        'func take_damage(_amount: int, _by: String = "") -> void:\n\ttake_damage.rpc_id(multiplayer.get_remote_sender_id(), 1)')
RESOURCE = [("player.gd", "var hp := 100\n", "var hp := 100\nvar look: Resource = Gradient.new()\n"),
            ("player.tscn", "properties/1/replication_mode = 2\n", 'properties/1/replication_mode = 2\nproperties/2/path = '
             'NodePath(".:look")\nproperties/2/spawn = true\nproperties/2/replication_mode = 1\n')]
FOLLOW_ANY = ("world.gd", "func follow(_who: Node)", "func follow(_who: Variant)")
UNRELIABLE = ("world.gd", '@rpc("authority", "call_remote", "reliable")\nfunc announce', '@rpc("authority", "call_remote", "unreliable")\nfunc announce')
ORDERED = (UNRELIABLE[0], UNRELIABLE[1], UNRELIABLE[2].replace("unreliable", "unreliable_ordered"))
UNRELIABLE_CHAT = ("chat.gd", '"reliable"', '"unreliable"')


# Lines on which pairs are played, too: "own_all@loss_5".
LINES = {"loss_1": dict(loss=0.01, jitter=0.03), "loss_5": dict(loss=0.05, jitter=0.03)}

# Each broken game with its healthy twin.
PAIRS = (("own_all", "own_own"), ("handover_one", "handover_all"), ("own_clock", "healthy_two"), ("root_path", "root_path_both"),
         ("bad_spawn_function", "custom_spawn"), ("unnamed", "named"), ("flood", "many_calls"), ("flicker", "bullets"),
         ("g3_unnamed", "g3_two"), ("method_renamed", "healthy"))


def both(*edits):
    return {"server": list(edits), "client": list(edits)}


MORE_METHODS = ("world.gd", "func score(", 'func zoom() -> void:\n\tpass\n\n\n@rpc("any_peer", "call_remote", "reliable")\nfunc score(')

VARIANTS = {
    # ---- healthy
    "healthy": dict(fault="nothing; client and server quit", server="", told=LEFT),
    "healthy_killed": dict(fault="nothing; the client is killed", server="quit=9000", clients=["die=3000"], lasts=9000,
                           told=r"gone"),
    "healthy_two": dict(fault="nothing; two clients", server="chest", clients=["", ""], told=LEFT),
    "healthy_late": dict(fault="nothing; the server is started after the client", server="", clients=["quit=6000"], is_server_late=True,
                         told=r"answered for long|Nothing found"),
    "healthy_long": dict(fault="nothing, for ten minutes", server="", lasts=600000, is_long=True, told=LEFT),
    "healthy_long_killed": dict(fault="nothing, for ten minutes; the client is killed", server="quit=610000",
                                clients=["die=595000"], lasts=600000, is_long=True, told=r"gone"),
    "crowd": dict(fault="nothing; eight clients", server="", clients=[""] * 8, lasts=9000, apart=0.5, told=LEFT),
    "crowd_loss": dict(fault="eight clients, one datagram of 100 is lost", server="", clients=[""] * 8, lasts=9000, apart=0.5,
                       line=dict(loss=0.01), told=r"lost"),
    # ---- the port is not reached
    "no_server": dict(fault="no server", server=None, told=r"no server|nobody listens|unreachable"),
    "other_port": dict(fault="the server is at another port", server="port=7005", told=r"no server|nobody listens|unreachable"),
    "other_address": dict(fault="the server is bound to another address", server="bind=127.0.0.2",
                          told=r"no server|nobody listens|unreachable"),
    "black_hole": dict(fault="a firewall swallows all", server=None, other="silent", told=r"answer|firewall"),
    "no_way_back": dict(fault="a firewall swallows the answers", server="", line=dict(loss=1, only="down"),
                        told=r"answer|firewall"),
    "prohibited": dict(fault="a firewall refuses (ICMP 13)", server=None, line=dict(icmp=13), told=r"filter|firewall|prohibit"),
    "prohibited_host": dict(fault="a firewall refuses (ICMP 10)", server=None, line=dict(icmp=10),
                            told=r"filter|firewall|prohibit"),
    "no_route": dict(fault="no route to the host (ICMP 1)", server=None, line=dict(icmp=1), told=r"no way leads to that address"),
    "other_program": dict(fault="another program is at the port", server=None, other="text", told=r"text: another program"),
    "echo": dict(fault="an echo is at the port", server=None, other="echo", told=r"an echo is at that port"),
    "server_has_websocket": dict(fault="server WebSocket, client ENet", server="transport=ws",
                                 told=r"no server|nobody listens|unreachable"),
    "client_has_websocket": dict(fault="server ENet, client WebSocket", server="", clients=["transport=ws"],
                                 told=r"WebSocket|refused|TCP"),
    "web_server": dict(fault="a web server is at the WebSocket's port", server=None, other="web", clients=["transport=ws"],
                       told=r"WebSocket|404|HTTP"),
    "full": dict(fault="the server is full", server="max_clients=1", clients=["quit=6000", "quit=5000"], lasts=6000,
                 told=r"it is full"),
    "compressed_server": dict(fault="only the server compresses (zlib)", server="compress=zlib", told=r"is compressed \(zlib\)"),
    "compressed_client": dict(fault="only the client compresses (zlib)", server="", clients=["compress=zlib"],
                              told=r"compressed \(zlib\)"),
    "compressed_otherwise": dict(fault="range coder against FastLZ", server="compress=fastlz", clients=["compress=range"],
                                 told=r"compressed \(range coder\)"),
    "refuses_all": dict(fault="refuse_new_connections", server="refuse", told=r"refuse|disconnected"),
    "dies_early": dict(fault="the server dies while the client connects", server="die=300", apart=0.4,
                       told=r"no server|nobody|unreachable|gone"),
    # ---- nodes are missing
    "client_lacks_world": dict(fault="the client lacks Main/World", server="", clients=["lack=World"], told=r"Main/World"),
    "server_lacks_world": dict(fault="the server lacks Main/World", server="lack=World", told=r"Main/World"),
    "renamed": dict(fault="Main/World is Main/Welt at the client", server="", clients=["rename=Welt"], told=r"Main/W(orld|elt)"),
    "renamed_folder": dict(fault="as before, with the game's folder", server="", clients=["rename=Wordl"], folder=True,
                           told=r"did you mean Main/World"),
    "client_lacks_clock": dict(fault="the client lacks a synchronized node", server="", clients=["lack=Clock"],
                               told=r"Main/Clock"),
    "client_lacks_sync": dict(fault="the client lacks the synchronizer alone", server="", clients=["lack=Clock/Sync"],
                              told=r"Main/Clock/Sync"),
    "client_lacks_spawner": dict(fault="the client lacks the spawner", server="", clients=["lack=Spawner"],
                                 told=r"Main/Spawner"),
    "client_lacks_players": dict(fault="the client lacks the node that players are spawned under", server="",
                                 clients=["lack=Players"], told=None),
    "one_lacks_chat": dict(fault="one of two clients lacks Main/Chat", server="", clients=["", "lack=Chat"],
                           told=r"Main/Chat"),
    "server_lacks_chat": dict(fault="the server lacks Main/Chat", server="lack=Chat", told=r"Main/Chat"),
    "other_scene": dict(fault="the client has another scene", server="", clients=["lack=World,Chat,Clock,Spawner,Players call=none"],
                        told=r"is it in another scene"),
    "late_world": dict(fault="the client adds Main/World after a second", server="", clients=["late=World"],
                       told=LEFT + r"|Main/World"),
    "client_frees_world": dict(fault="the client frees Main/World while it is used", server="", clients=["free_world=2000"],
                               told=None),
    "server_frees_world": dict(fault="the server frees Main/World while it is used", server="free_world=2500 call=none",
                               told=None),
    # ---- methods differ
    "client_has_more": dict(fault="the client's script has one @rpc more", server="", edits={"client": [MORE_METHODS]},
                            told=r"Main/World"),
    "server_has_more": dict(fault="the server's script has one @rpc more", server="", edits={"server": [MORE_METHODS]},
                            told=r"Main/World"),
    "method_renamed": dict(fault="a method has another name at the client", server="",
                           edits={"client": [("world.gd", "func follow(", "func chase(")]}, told=r"Main/World"),
    "not_marked": dict(fault="@rpc is missing at the client", server="",
                       edits={"client": [("world.gd", '@rpc("any_peer", "call_remote", "reliable", 3)\n', "")]},
                       told=r"Main/World"),
    "not_marked_folder": dict(fault="@rpc is missing in the folder's script, which the client has", server="", folder=True,
                              edits={"server": [("world.gd", "func score(",
                                                 'func hidden() -> void:\n\tpass\n\n\n@rpc("any_peer")\nfunc score(')]},
                              told=r"Main/World.*res://world.gd"),
    "no_methods": dict(fault="the client's node has no script", server="",
                       edits={"client": [("main.tscn", '[node name="World" type="Node" parent="."]\nscript = ExtResource("2")',
                                          '[node name="World" type="Node" parent="."]')]}, told=r"Main/World"),
    # ---- calls that are not accepted
    "too_few": dict(fault="too few arguments", server="", clients=["call=few"], folder=True, told=r"Main/World.*do not fit"),
    "too_many": dict(fault="too many arguments", server="", clients=["call=many"], folder=True, told=r"Main/World.*do not fit"),
    "wrong_type": dict(fault="an argument of another type", server="", clients=["call=type"], folder=True,
                       told=r"Main/World.*do not fit"),
    "wrong_elements": dict(fault="Array[int] gets strings", server="", clients=["call=array"], folder=True,
                           told=r"Main/World.*do not fit"),
    "object": dict(fault="a node as an argument", server="", clients=["call=object"], folder=True, told=r"Main/World.*do not fit.*from Object"),
    "not_allowed": dict(fault="a client calls an authority's method", server="", clients=["call=announce"], folder=True,
                        told=r"Main/World.*authority"),
    "old_client": dict(fault="the client's method takes other arguments", server="", folder=True,
                       edits={"client": [("world.gd", '_amount: int, _by: String = ""', "_amount: int, _by: String, _at: int"),
                                         ("main.gd", 'rpc_id(1, 5, "fall")', 'rpc_id(1, 5, "fall", 3)')]},
                       told=r"Main/World.*do not fit"),
    "unknown_peer": dict(fault="a call of a peer that does not exist", server="", clients=["call=unknown"], told=None),
    # ---- spawning
    "scene_not_listed": dict(fault="the client's spawner has not the chest", server="chest", clients=["unlisted"],
                             told=None),
    "scene_not_listed_folder": dict(fault="the server's spawner has a scene that the folder's has not", server="chest", folder=True,
                                    edits={"server": [("main.tscn", '"res://player.tscn", "res://chest.tscn"',
                                                       '"res://player.tscn", "res://player.tscn", "res://chest.tscn"')]},
                                    told=r"Main/Spawner spawns a scene"),
    "no_scenes": dict(fault="the client's spawner has no scene", server="", clients=["no_scenes"], told=None),
    "spawned_and_called": dict(fault="as before, and the server calls it", server="call=player", clients=["no_scenes call=none"],
                               told=r"Main/Players/\d+ is missing.*spawned in frame"),
    "no_synchronizer": dict(fault="the client's player has no synchronizer", server="",
                            edits={"client": [("player.tscn",
                                               '[node name="Sync" type="MultiplayerSynchronizer" parent="."]\n'
                                               'replication_config = SubResource("2")\n', "")]}, told=None),
    "other_properties": dict(fault="the server's player synchronizes something else than the folder's", server="", folder=True,
                             edits={"server": [("player.tscn", 'NodePath(".:hp")', 'NodePath(".:rotation")')]},
                             told=r"not those that the game's folder lists"),
    "hidden_player": dict(fault="the player's synchronizer is hidden from all", server="hide_player", told=None),
    "never_synchronized": dict(fault="the synchronizer is hidden from a client", server="hidden_after", told=None),
    "half_hidden": dict(fault="one of two synchronizers of each player is hidden from the second client", server="",
                        clients=["", ""], edits={"server": GEAR + [ONE_SEES_GEAR], "client": GEAR},
                        told=r"goes to other peers and never to this one"),
    "despawned": dict(fault="nothing; players are freed while calls of them are on their way", server="despawn=3000", clients=["call=player", ""],
                      lasts=5000, line=dict(delay=0.15), told=LEFT),
    # ---- slow sides
    "server_hitch": dict(fault="the server stands still for 0.7 s", server="hitch_at=3000 hitch=700", lasts=5000,
                         told=r"server stood still for 0\.7"),
    "client_hitch": dict(fault="the client stands still for 0.7 s", server="", clients=["hitch_at=2000 hitch=700"], lasts=5000,
                         told=r"client stood still for 0\.[78]"),
    "server_long_hitch": dict(fault="the server stands still for 3 s", server="hitch_at=3000 hitch=3000", lasts=8000,
                              told=r"stood still for (2\.9|3\.0)"),
    "server_slow": dict(fault="the server has 5 frames a second", server="fps=5", lasts=6000, told=r"frame"),
    "client_slow": dict(fault="the client has 5 frames a second", server="", clients=["fps=5"], lasts=6000, told=r"frame"),
    "server_loaded": dict(fault="each frame of the server takes 120 ms", server="load=120", lasts=6000, told=r"frame"),
    "few_ticks": dict(fault="the server has 10 ticks a second", server="ticks=10", lasts=5000, told=None),
    # ---- bad lines
    "loss_5": dict(fault="one datagram of 20 is lost", server="", line=dict(loss=0.05), lasts=6000, told=r"lost"),
    "loss_20": dict(fault="one of 5 is lost", server="", line=dict(loss=0.2), lasts=6000, told=r"lost"),
    "loss_40": dict(fault="two of 5 are lost", server="", line=dict(loss=0.4), lasts=7000, told=r"lost"),
    "loss_up": dict(fault="a third is lost towards the server", server="", line=dict(loss=0.33, only="up"), lasts=6000,
                    told=r"lost"),
    "loss_down": dict(fault="a third is lost towards the client", server="", line=dict(loss=0.33, only="down"), lasts=6000,
                      told=r"lost"),
    "outage": dict(fault="nothing comes through for a second", server="", line=dict(cut_from=2, cut_to=3), lasts=6000,
                   told=r"lost"),
    "cut": dict(fault="from the third second on nothing comes through", server="", line=dict(cut_from=2), lasts=9000,
                told=r"gone|lost"),
    "slow_line": dict(fault="150 ms each way", server="", line=dict(delay=0.15), lasts=5000, told=LEFT),
    "jitter": dict(fault="0 to 200 ms each way, out of order", server="", line=dict(jitter=0.2), lasts=6000, told=None),
    "twice": dict(fault="half of all datagrams come twice", server="", line=dict(twice=0.5), lasts=5000, told=LEFT),
    "narrow": dict(fault="4,000 bytes a second", server="", clients=["call=big size=3000"], line=dict(bytes_a_second=4000),
                   lasts=6000, told=r"lost"),
    "small_mtu": dict(fault="datagrams above 600 bytes are swallowed", server="", clients=["call=big size=3000"],
                      line=dict(largest=600), lasts=7000, told=r"None of \d+ large fragments"),
    "garbled": dict(fault="one datagram of 10 has a wrong byte", server="", line=dict(garble=0.1), lasts=5000, told=None),
    "rebound": dict(fault="a router gives the client another port", server="", line=dict(rebind=2), lasts=9000,
                    told=r"gone"),
    "big_lost": dict(fault="100,000 bytes in fragments, 5 % lost", server="", clients=["call=big every=1000"],
                     line=dict(loss=0.05), lasts=5000, told=r"lost"),
    # ---- ends
    "client_quits": dict(fault="the client quits", server="", told=LEFT),
    "server_quits": dict(fault="the server quits", server="quit=3000", lasts=5000, told=r"\AThe server disconnects[^\n]*\Z"),
    "server_killed": dict(fault="the server is killed", server="die=3000", lasts=9000, told=r"gone"),
    "client_killed": dict(fault="the client is killed", server="quit=9000", clients=["die=2500"], lasts=9000, told=r"gone"),
    "kicked": dict(fault="the server kicks the client after a second", server="kick=1000", told=r"disconnect"),
    "kicked_now": dict(fault="the same, without a farewell", server="kick=1000 now", told=r"disconnect|gone"),
    # ---- authentication
    "auth_ok": dict(fault="nothing; both authenticate", server="auth=ok", clients=["auth=ok"], told=LEFT),
    "auth_client_lacks": dict(fault="only the server asks for authentication", server="auth=who", lasts=5000,
                              told=r"uthenticat"),
    "auth_server_lacks": dict(fault="only the client asks for authentication", server="", clients=["auth=who"], lasts=5000,
                              told=r"uthenticat"),
    "auth_never": dict(fault="neither calls complete_auth()", server="auth=who auth_timeout=0",
                       clients=["auth=me auth_timeout=0"], told=r"uthenticat"),
    "auth_client_never": dict(fault="the client never calls complete_auth()", server="auth=ok", clients=["auth=me"],
                              lasts=6000, told=r"uthenticat"),
    "auth_server_never": dict(fault="the server never calls complete_auth()", server="auth=who", clients=["auth=ok"],
                              lasts=6000, told=r"uthenticat"),
    # ---- several clients
    "peer_has_left": dict(fault="a call of a peer that has just left", server="kick=2000", line=dict(delay=0.2),
                          clients=["call=other every=20", "call=none"], told=r"\AThe server disconnects"),
    "relayed_late": dict(fault="calls of a peer that has left, as the server gets them", server="", is_at_server=True,
                         line=dict(delay=0.2), clients=["call=other every=20", "call=none leave=2500"],
                         told=LEFT),
    "no_relay": dict(fault="the server relays nothing, clients call each other", server="no_relay",
                     clients=["call=other", "call=none"], told=None),
    # ---- channels, sizes
    "few_channels": dict(fault="the server has one channel of its own, a call takes channel 3", server="channels=1",
                         clients=["call=whisper channels=4"], told=None),
    "limited": dict(fault="1,000 bytes a second are allowed", server="bandwidth=1000", clients=["bandwidth=1000 call=big"],
                    told=None),
    # ---- WebSocket
    "ws": dict(fault="nothing, over WebSocket", server="transport=ws", clients=["transport=ws"], told=LEFT),
    "ws_no_server": dict(fault="no server, over WebSocket", server=None, clients=["transport=ws"], told=r"WebSocket|refused|TCP"),
    "ws_other_address": dict(fault="the server listens on IPv4, the client asks IPv6, over WebSocket", server="transport=ws bind=127.0.0.1",
                             clients=["transport=ws address=[::1]"], told=r"listens on IPv4 alone"),
    "ws_lacks_world": dict(fault="the client lacks Main/World, over WebSocket", server="transport=ws",
                           clients=["transport=ws lack=World"], told=r"Main/World"),
    "ws_has_more": dict(fault="methods differ, over WebSocket", server="transport=ws", clients=["transport=ws"],
                        edits={"client": [MORE_METHODS]}, told=r"Main/World"),
    "ws_too_few": dict(fault="too few arguments, over WebSocket", server="transport=ws", clients=["transport=ws call=few"],
                       folder=True, told=r"Main/World.*do not fit"),
    "ws_not_listed": dict(fault="the client's spawner has not the chest, over WebSocket", server="transport=ws chest",
                          clients=["transport=ws unlisted"], told=None),
    "ws_killed": dict(fault="the server is killed, over WebSocket", server="transport=ws die=3000", clients=["transport=ws"],
                      told=r"gone|closed"),
    # ---- authority
    "own_all": dict(fault="every peer takes every player's authority", server="", clients=["", ""], edits=both(OWN_ALL, MOVES),
                    told=r"act as the authority of .*Main/Players"),
    "own_all_one": dict(fault="as before, with one client", server="", edits=both(OWN_ALL, MOVES), told=r"act as the authority of .*Main/Players"),
    "own_own": dict(fault="nothing; each client has the authority of its own player", server="", clients=["", ""],
                    edits=both(OWN_OWN, MOVES), told=LEFT),
    "own_clock": dict(fault="every peer takes a node's authority that is in the scene", server="own_clock",
                      clients=["own_clock", "own_clock"], told=r"act as the authority of .*Main/Clock/Sync"),
    "handover_one": dict(fault="the server alone hands a player's authority over", server="handover=3500", lasts=6000,
                         edits=both(MOVES), told=r"sends no values of .* authority handed over on one side"),
    "handover_all": dict(fault="nothing; a player's authority is handed over on both sides", server="handover=3500", lasts=6000,
                         edits=both(MOVES, GIVE), told=LEFT),
    "own_spawner": dict(fault="every peer takes the spawner's authority and adds its player", server="", clients=["", ""],
                        edits=both(("main.gd", "\tif not is_server():\n\t\treturn\n\tif has(\"hidden_after\")",
                                    "\t$Spawner.set_multiplayer_authority(multiplayer.get_unique_id())\n"
                                    "\tif has(\"hidden_after\")")), told=r"act as the authority of .*Main/Spawner"),
    # ---- values
    "nan": dict(fault="a position is NaN", server="nan", told=r"NaN"),
    "resource": dict(fault="a Resource is synchronized", server="", edits=both(*RESOURCE), told=r"holds an Object or a Resource"),
    "object_argument": dict(fault="an object is sent, and not allowed at the receiver", server="", clients=["call=gradient objects"],
                            edits=both(FOLLOW_ANY), told=r"allow_object_decoding"),
    # ---- overload
    "echo_calls": dict(fault="each call answers another, without end", server="", clients=["every=10"], edits=both(ECHO), lasts=9000,
                       told=r"calls the same method of Main/World up to"),
    "flood": dict(fault="the client makes 50 calls a frame", server="", clients=["flood=50"], lasts=6000,
                  told=r"calls the same method of Main/World up to"),
    "many_calls": dict(fault="nothing; the client makes three calls a frame", server="", clients=["flood=3"], lasts=6000, told=LEFT),
    "flicker": dict(fault="a node is spawned and freed each other frame", server="flicker=1", told=r"Flash is spawned and freed over and over"),
    "bullets": dict(fault="nothing; a node of one name is spawned for half a second, again and again", server="flicker=500", told=LEFT),
    # ---- more on connecting
    "auth_refused": dict(fault="the server refuses a password", server="auth=who auth_refuse", clients=["auth=me"],
                         told=r"refuses .* within the authentication"),
    "mute": dict(fault="the client polls its peer, and gives it to no MultiplayerAPI", server="", clients=["mute call=none"], lasts=6000,
                 told=r"multiplayer_peer never set"),
    "long_load": dict(fault="the client stands still for 11 s", server="", clients=["hitch_at=2500 hitch=11000"], lasts=20000,
                      told=r"has given up the client"),
    "other_source": dict(fault="the answers come from another port", server="", line=dict(answers_from=7007),
                         told=r"comes from port 7007"),
    "no_way_back_server": dict(fault="a firewall swallows the answers, as the server's machine shows it", server="", is_at_server=True,
                               line=dict(loss=1, only="down"), told=r"in vain: the answer .* does not get to the client"),
    "root_path": dict(fault="the multiplayer's root is another one at the client", server="", clients=["root"],
                      told=r"begin at different nodes"),
    "root_path_both": dict(fault="nothing; the multiplayer has a root of its own on both sides", server="root", clients=["root"], told=LEFT),
    "custom_spawn": dict(fault="nothing; players are made by a spawn_function", server="custom", clients=["custom"], told=LEFT),
    "bad_spawn_function": dict(fault="the client's spawn_function returns null", server="custom call=player",
                               clients=["custom no_node call=none"], told=r"spawn_function return a node"),
    "unnamed": dict(fault="a node without a name is added on both sides and called", server="unnamed=6000", clients=["unnamed=1000"],
                    lasts=9000, told=r"add_child\(node, true\)"),
    "named": dict(fault="nothing; a node with a name is added on both sides and called", server="unnamed=6000 unnamed_as=Door",
                  clients=["unnamed=1000 unnamed_as=Door"], lasts=9000, told=LEFT),
    # ---- what the player has of a bad line
    "reliable_each_frame": dict(fault="reliable calls each frame, 3 % lost, 80 ms", server="every=16 call=each", lasts=12000,
                                line=dict(loss=0.03, delay=0.04), told=r"reliable messages of the server came late"),
    "reliable_seldom": dict(fault="nothing; the same line, few calls", server="", line=dict(loss=0.03, delay=0.04), lasts=8000,
                            told=LEFT + r"|lost and sent again"),
    "unreliable_events": dict(fault="events are called unreliable, 15 % lost", server="every=50", edits=both(UNRELIABLE),
                              line=dict(loss=0.15), lasts=8000, told=r"unreliable messages of the server did not come"),
    "ordered_late": dict(fault="events are called unreliable_ordered, 0 to 120 ms each way", server="every=16", edits=both(ORDERED),
                         line=dict(jitter=0.12), lasts=8000, told=r"unreliable_ordered messages of the server do not get to the game"),
    "ordered": dict(fault="nothing; the same calls on a good line", server="every=16", edits=both(ORDERED), told=LEFT),
    "unreliable_big": dict(fault="unreliable calls of 8,000 bytes, 10 % lost", server="call=big size=8000 every=100",
                           edits=both(UNRELIABLE_CHAT), line=dict(loss=0.1), lasts=8000, told=r"in fragments of the server never became whole"),
    "unreliable_big_whole": dict(fault="nothing; the same calls on a good line", server="call=big size=8000 every=100",
                                 edits=both(UNRELIABLE_CHAT), told=LEFT),
    # ---- what forums are full of
    "root_renamed": dict(fault="the client's scene has a root of another name", server="",
                         edits={"client": [("main.tscn", '[node name="Main" type="Node"]', '[node name="Game" type="Node"]')]},
                         told=r"begin at different nodes"),
    "own_nobody": dict(fault="the server alone gives each client its player's authority, with the folder", server="", clients=["", ""], folder=True,
                       edits={"server": [OWN_OWN]}, told=r"Nobody sends the values"),
    "own_client": dict(fault="the client alone takes its player's authority", server="", edits={"client": [OWN_OWN, MOVES], "server": [MOVES]},
                       lasts=6000, told=r"each act as the authority of Main/Players"),
    "beside": dict(fault="the server adds a node beside spawned ones, and calls it", server="call=player unnamed=4000 unnamed_as=Shop unnamed_in=Players",
                   clients=["call=none"], lasts=6500, told=r"Main/Players/Shop is missing.*it never is"),
    "at_once": dict(fault="nothing; the server calls a player as soon as it is spawned, 30 % lost", server="call=at_once", clients=["call=none"] * 3,
                    line=dict(loss=0.3, only="down"), lasts=6000, told=LEFT + r"|lost and sent again"),
    "reparented": dict(fault="the server moves players to another node with reparent(), and calls them", server="call=player move=4000",
                       lasts=6000, told=r"Main/World/\d+.*missing at the receiver.*reparent"),
    "spawned_twice": dict(fault="the client adds its player itself, before the server spawns it", server="spawn_after=1500", clients=["adds_itself"],
                          edits=both(OWN_OWN, MOVES), lasts=6000, told=r"already when it was spawned for"),
    "spawned_late": dict(fault="nothing; the server spawns each player a moment later", server="spawn_after=1500", edits=both(OWN_OWN, MOVES),
                         lasts=6000, told=LEFT),
    "not_in_list": dict(fault="the server's spawner has no scene in its list", server="no_scenes", told=r"no spawn of \d+ was sent"),
    "farewell": dict(fault="the server says why, and kicks the client in the same frame", server="kick=1500 farewell now",
                     told=r"disconnects after .* right before \(frame \d+\) is never acknowledged"),
    "farewell_waits": dict(fault="nothing; it kicks the client 0.3 s later", server="kick=1500 farewell=300 now",
                           told=r"\AThe server disconnects after \d\.\d s\Z"),
    "others_folder": dict(fault="the client's player synchronizes something else, with the client's folder", server="", folder="client",
                          edits={"client": [("player.tscn", '".:hp"', '".:rotation"'), ("player.tscn", "properties/1/replication_mode = 2\n",
                                 'properties/1/replication_mode = 2\nproperties/2/path = NodePath(".:scale")\nproperties/2/spawn = true\n'
                                 'properties/2/replication_mode = 1\n')]},
                          told=r"not those that the game's folder lists"),
    "healthy_folder": dict(fault="nothing, with the game's folder", server="", clients=["", ""], folder=True, told=LEFT),
    "big_each_frame": dict(fault="8,000 bytes by a reliable call each frame, over a line of 200,000 bytes a second",
                           server="call=big size=8000 every=16", line=dict(bytes_a_second=200000), lasts=8000,
                           told=r"came late"),
    "small_each_frame": dict(fault="nothing; 80 bytes by a reliable call each frame, over the same line", server="call=big size=80 every=16",
                             line=dict(bytes_a_second=200000), lasts=8000, told=LEFT),
    "short_timeout": dict(fault="the server waits 400 ms, and the client stands still for 2 s", server="timeout=400",
                          clients=["hitch_at=2000 hitch=2000"], lasts=6000, told=r"has given up the client"),
    "packet": dict(fault="bytes of the game's own by put_packet(), beside the MultiplayerAPI", server="", clients=["call=packet"],
                   told=r"put_packet|send_bytes"),
    "download": dict(fault="two megabytes in one reliable call, over a line of 200,000 bytes a second", server="call=big size=2000000 every=15000",
                     line=dict(bytes_a_second=200000), lasts=14000, told=r"waited behind it"),
    "ws_to_wss": dict(apart=8, fault="the server has TLS, the client asks ws://", server="transport=ws tls", clients=["transport=ws"],
                      told=r"it speaks TLS \(wss://\)"),
    "wss_to_ws": dict(fault="the client asks wss://, the server has no TLS", server="transport=ws", clients=["transport=ws tls"],
                      told=r"wss://"),
    "ws_big": dict(fault="a call of 100,000 bytes, beyond a WebSocket's outbound_buffer_size", server="transport=ws", clients=["transport=ws call=big"],
                   told=None),
    # ---- healthy, of ordinary play
    "late_join": dict(fault="nothing; the third client joins four seconds later", server="", clients=["", "", ""], apart=4, lasts=14000, told=LEFT),
    "rejoin": dict(fault="nothing; the client leaves and connects again", server="", clients=["rejoin=2500", ""], lasts=7000, told=LEFT),
    "levels": dict(fault="nothing; all change the level in order", server="level=4000", clients=["", ""], lasts=7000, told=LEFT),
    "turns": dict(fault="nothing; the authority goes to and fro in turns", server="turns=2500", lasts=9000, edits=both(MOVES, GIVE), told=LEFT),
    "many_players": dict(fault="nothing; forty players move", server="others=20", clients=["", ""], lasts=6000, told=LEFT),
    # ---- WebSocket, more
    "wss": dict(apart=8, fault="nothing, over a WebSocket with TLS", server="transport=ws tls", clients=["transport=ws tls"], told=None),
    "wss_untrusted": dict(apart=8, fault="the client does not trust the certificate", server="transport=ws tls", clients=["transport=ws tls=trusted"],
                          told=r"refuses the server's certificate"),
    "ws_hitch": dict(fault="the client stands still for 4 s, over WebSocket", server="transport=ws",
                     clients=["transport=ws hitch_at=6000 hitch=4000"], lasts=14000, told=r"stood still for (3\.[89]|4\.[0-3])"),
    # ---- Godot 3
    "g3_healthy": dict(fault="nothing", engine=3, server="", told=LEFT),
    "g3_folder": dict(fault="nothing, with the game's folder", engine=3, server="", folder=True, told=LEFT),
    "g3_two": dict(fault="nothing; two clients", engine=3, server="", clients=["", ""], told=LEFT),
    "g3_loss": dict(fault="nothing; one datagram of 100 is lost", engine=3, server="", line=dict(loss=0.01), lasts=8000, told=LEFT),
    "g3_ws": dict(fault="nothing, over WebSocket", engine=3, server="transport=ws", clients=["transport=ws"], told=LEFT),
    "g3_not_remote": dict(fault="a called method is not `remote`", engine=3, server="", folder=True, edits=both(("player.gd", "remote func", "func")),
                          told=r"remote func heal"),
    "g3_puppet": dict(fault="a client calls a `puppet` method", engine=3, server="", folder=True,
                      edits=both(("world.gd", "remote func take_damage", "puppet func take_damage")), told=r"is a puppet func"),
    "g3_argument_count": dict(fault="too many arguments", engine=3, server="", clients=["call=many"], folder=True,
                              told=r"Main/World do not fit.*takes 2 arguments, and gets 3"),
    "g3_too_few": dict(fault="too few arguments", engine=3, server="", folder=True,
                       edits={"client": [("main.gd", 'rpc_id(1, "take_damage", 5, "fall")', 'rpc_id(1, "take_damage")')]},
                       told=r"Main/World do not fit.*takes 1 argument, and gets 0"),
    "g3_unnamed": dict(fault="players have no name of their own", engine=3, server="unnamed", clients=["unnamed"], told=r"engine made up a name"),
    "g3_rset": dict(fault="a variable that is set is not `puppet`", engine=3, server="", folder=True, edits=both(("player.gd", "puppet var hp", "var hp")),
                    told=r"hp of Main/Players/\d+.* is set by other peers"),
    "g3_type": dict(fault="an argument of another type", engine=3, server="", folder=True,
                    edits={"server": [("world.gd", "take_damage(_amount,", "take_damage(_amount: int,")],
                           "client": [("main.gd", '"take_damage", 5,', '"take_damage", "five",')]}, told=r"Main/World do not fit"),
    "g3_lacks_world": dict(fault="the client lacks Main/World", engine=3, server="", clients=["lack=World"], told=None),
    "g3_refuse": dict(fault="refuse_new_network_connections", engine=3, server="refuse", told=r"refuse|disconnected"),
    "g3_kicked": dict(fault="the server kicks the client", engine=3, server="kick=3500", told=r"disconnect"),
    "g3_ws_plain": dict(fault="the client's WebSocket is none of the multiplayer (gd_mp_api)", engine=3, server="transport=ws",
                        clients=["transport=ws plain"], told=r"gd_mp_api"),
    "g3_rejoin": dict(fault="nothing; the client leaves and connects again", engine=3, server="", clients=["rejoin=2500"], lasts=7000, told=LEFT),
    "g3_no_server": dict(fault="no server", engine=3, server=None, told=r"no server"),
    "g3_server_killed": dict(fault="the server is killed", engine=3, server="die=3000", lasts=9000, told=r"gone"),
    "g3_full": dict(fault="the server is full", engine=3, server="max_clients=1", clients=["quit=6000", "quit=5000"], lasts=6000,
                    told=r"it is full"),
    "g3_compressed": dict(fault="only the client compresses (range coder)", engine=3, server="compress=0", clients=["compress=1"],
                          told=r"compress"),
    "g3_hitch": dict(fault="the server stands still for 2 s", engine=3, server="hitch_at=3000 hitch=2000", lasts=8000,
                     told=r"server stood still for (1\.9|2\.[0-3])"),
    "g3_unreliable": dict(fault="a value is sent unreliable, 20 % lost", engine=3, server="every=30", line=dict(loss=0.2), lasts=8000,
                          told=r"reliable messages of the server came late|lost and sent again"),
}
