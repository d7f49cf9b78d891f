/// What the program may do as it runs now.
extension ArmCore {
  /// Whether the program may do what only privileged programs may.
  var isPrivileged: Bool { state.pointee.exception != 0 || !state.pointee.unprivileged }

  /// As whom the protection unit sees the program.
  var currentRights: ArmProtection.Rights {
    guard protection.isOn else { return .unchecked }
    if !protection.holdsInHardFault, executionPriority < 0 { return .unchecked }
    return isPrivileged ? .privileged : .unprivileged
  }

  /// The same for an access that has the rights of an unprivileged program, whoever runs.
  var userRights: ArmProtection.Rights {
    currentRights == .unchecked ? .unchecked : .unprivileged
  }

  /// Hides all pages when the program is somebody else for the protection unit, or the unit has changed.
  func refreshRights() {
    let now = currentRights
    guard now != rights || hasNewRegions else { return }
    rights = now
    hasNewRegions = false
    hideViews()
    for index in decodedPages { state.pointee.decoded[index] = nil }
    rightsAge &+= 1
  }

  /// The protection unit's registers, from 0xE000ED90.
  func readProtection(_ address: UInt32) -> UInt32 {
    guard !model.isBaseline else { return 0 }
    switch address & 0xFF {
    case 0x90: return UInt32(ArmProtection.count) << 8
    case 0x94: return protection.control
    case 0x98: return UInt32(protection.number)
    case 0x9C, 0xA4, 0xAC, 0xB4: return protection.base
    default: return protection.attribute
    }
  }

  /// Writes one of them.
  func writeProtection(_ address: UInt32, _ value: UInt32) {
    guard !model.isBaseline else { return }
    switch address & 0xFF {
    case 0x90: return
    case 0x94: protection.control = value & 7
    case 0x98: protection.number = Int(value & 7)
    case 0x9C, 0xA4, 0xAC, 0xB4: protection.base = value
    default: protection.attribute = value
    }
    hasNewRegions = true
  }
}
