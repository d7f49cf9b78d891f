import CInterposer
import Glibc

/// What can be changed about a node: its owner, its mode, its times.
struct NodeFacts {
  var mode: UInt32 = 0o660
  var user = UInt32(geteuid())
  var group = UInt32(getegid())
  /// When it was read, written and changed, in nanoseconds since 1970.
  var times: (read: Int64, written: Int64, changed: Int64)
  /// Whether a client has said who may use it; until then everybody may.
  var isGuarded = false

  init(moment: Int64) { times = (moment, moment, moment) }

  /// Whether a client may read (4) or write (2) it, as Linux decides.
  func allows(_ access: UInt32, _ client: interposer_client) -> Bool {
    guard isGuarded, !client.may(.overrideAccess) else { return true }
    let bits =
      client.user == user ? mode >> 6 : client.isIn(group: group) ? mode >> 3 : mode
    return access & bits == access
  }
}

extension interposer_client {
  /// What a capability lets a client do.
  enum Capability: UInt64 {
    case changeOwner = 0
    case overrideAccess = 1
    case actAsOwner = 3
    case administer = 21
    case makeNodes = 27
  }

  /// Whether the client has a capability.
  func may(_ capability: Capability) -> Bool { capabilities >> capability.rawValue & 1 == 1 }

  /// Whether the client is in a group.
  func isIn(group wanted: UInt32) -> Bool {
    if group == wanted { return true }
    return withUnsafeBytes(of: groups) {
      $0.bindMemory(to: UInt32.self).prefix(Int(group_count)).contains(wanted)
    }
  }
}
