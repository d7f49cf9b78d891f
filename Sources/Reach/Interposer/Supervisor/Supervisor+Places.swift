import CInterposer
import Glibc

/// The sockets that stand for open folders and links of ours; one hangs up when its last copy is closed.
extension Supervisor {
  /// Gives the caller a socket that stands for a folder or a link.
  func give(_ place: OpenPlace, _ call: Call, _ flags: Int32) -> Answer {
    var (client, peer, socket): (Int32, Int32, UInt64) = (-1, -1, 0)
    let failure = interposer_sockets(&client, &peer, &socket)
    guard failure == 0 else { return .failure(-failure) }
    places[socket] = place
    gate.has_sockets = true
    let token = Token.firstPeer + nextPeer
    nextPeer += 1
    peers[token] = (peer, socket)
    hearing.add(peer, token)
    // Where nobody has got a copy, the socket hangs up now, and all is forgotten.
    return give(client, call, above: 0, closesOnExec: flags & O_CLOEXEC != 0)
  }

  /// Forgets a folder or link whose last copy has been closed.
  func takePeer(_ token: UInt64, isHangup: Bool) {
    guard isHangup, let peer = peers[token] else { return }
    close(peer.descriptor)
    peers[token] = nil
    places[peer.socket] = nil
    updateGate()
  }

  /// Tells the gate whether clients have anything of ours open.
  func updateGate() { gate.has_sockets = !(slots.devices.isEmpty && places.isEmpty) }
}
