/// Flash access, and loads and stores outside RAM.
extension AvrCore {
  /// Reads an address off the fast path: a core register, an I/O register, an unmapped address, or RAM with a watchpoint.
  func slowLoad(_ address: UInt16) -> UInt8 {
    if !watches.isEmpty { noteAccess(address, isStore: false) }
    if address &- model.ramStart < model.ramCount { return state.pointee.data[Int(address)] }
    if address >= state.pointee.stackTop, address == state.pointee.stack {
      state.pointee.isPastTop = true
      state.pointee.limit = 0
      return 0
    }
    return loadOutside(address)
  }

  /// Reads an address outside RAM without checking watchpoints.
  private func loadOutside(_ address: UInt16) -> UInt8 {
    switch address {
    case 0..<0x20: state.pointee.data[Int(address)]
    case AvrPorts.stackLow: UInt8(truncatingIfNeeded: state.pointee.stack)
    case AvrPorts.stackHigh: UInt8(truncatingIfNeeded: state.pointee.stack >> 8)
    case AvrPorts.status: state.pointee.status
    default: peripherals.read(address)
    }
  }

  /// Writes an address off the fast path.
  func slowStore(_ address: UInt16, _ value: UInt8) {
    if !watches.isEmpty { noteAccess(address, isStore: true) }
    if address &- model.ramStart < model.ramCount {
      if trace != nil, state.pointee.data[Int(address)] != value { trace?.hasChanged = true }
      state.pointee.data[Int(address)] = value
    } else {
      storeOutside(address, value)
    }
  }

  /// Writes an address outside RAM without checking watchpoints.
  private func storeOutside(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0..<0x20: state.pointee.data[Int(address)] = value
    case AvrPorts.stackLow:
      if state.pointee.setStackLow(value) {
        state.pointee.request = .stackMove
        state.pointee.limit = 0
      }
    case AvrPorts.stackHigh:
      state.pointee.setStackHigh(value)
    case AvrPorts.status:
      let before = state.pointee.interrupts
      state.pointee.status = value
      if !before, state.pointee.interrupts {
        state.pointee.request = .enabled
        state.pointee.limit = 0
      }
    default:
      trace?.hasChanged = true
      peripherals.write(address, value)
    }
  }

  /// Changes a bit of an I/O register, as SBI and CBI do.
  func slowChange(_ address: UInt16, _ bit: UInt8, _ isSet: Bool) {
    trace?.hasChanged = true
    if !watches.isEmpty { noteAccess(address, isStore: true) }
    peripherals.change(address, bit: bit, to: isSet)
  }

  func slowLoadProgram(_ address: UInt16) -> UInt8 {
    trace?.hasChanged = true
    return peripherals.loadProgram(address, flash[Int(address) % flash.count])
  }

  /// The contents of the flash; call `invalidate(_:count:)` after a change.
  package var flash: UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(start: state.pointee.flash, count: model.flashWords * 2)
  }

  package var ramBytes: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(state.pointee.data + Int(model.ramStart))
  }

  /// Returns a word of the flash; the index wraps at the end of the flash.
  func flashWord(_ index: Int) -> UInt16 {
    let word = index & Int(state.pointee.wordMask)
    return UInt16(flash[word * 2]) | UInt16(flash[word * 2 + 1]) << 8
  }

  /// A byte of the data space; an access has the effects of a load or store by the program.
  package subscript(data address: UInt16) -> UInt8 {
    get {
      address &- model.ramStart < model.ramCount
        ? state.pointee.data[Int(address)] : loadOutside(address)
    }
    set {
      if address &- model.ramStart < model.ramCount {
        state.pointee.data[Int(address)] = newValue
      } else {
        storeOutside(address, newValue)
      }
    }
  }

  /// `true` if LPM reads from the peripherals instead of the flash.
  package var loadsProgramSpecially: Bool {
    get { state.pointee.loadsSpecially }
    set { state.pointee.loadsSpecially = newValue }
  }
}
