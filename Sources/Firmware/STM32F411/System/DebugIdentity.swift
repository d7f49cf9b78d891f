/// DBGMCU: which part this is.
final class DebugIdentity: Peripheral {
  init(_ chip: Silicon) {
    super.init(at: 0xE004_2000, chip)
    // DEV_ID 0x431, REV_ID 0x1000.
    define(0x00, mask: 0, reset: 0x1000_0431)
    define(0x04)
    define(0x08)
    define(0x0C)
  }
}
