import Schema
import VirtualI2C

extension FaultModel {
  static let nackAddress = FaultModel(
    "nack-address", .wire, "The device NACKs its address.", canLast: true
  ) { _ in
    .addressNack
  }
}

extension FaultModel {
  static let nackData = FaultModel(
    "nack-data", .wire, "The device NACKs a byte written to it.",
    [FaultKeys.byte(0...8191, "the index of the byte")]
  ) {
    .dataNack(byte: $0.byte)
  }
}

extension FaultModel {
  static let arbitrationLost = FaultModel(
    "arbitration-lost", .wire, "Another controller wins the bus."
  ) { _ in
    .arbitrationLost
  }
}

extension FaultModel {
  static let busError = FaultModel(
    "bus-error", .wire, "A misplaced START or STOP condition."
  ) { _ in
    .busError
  }
}

extension FaultModel {
  static let clockStretch = FaultModel(
    "clock-stretch", .wire,
    "Holds SCL low; beyond the adapter's stretch_limit the transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStretch($0.length)
  }
}

extension FaultModel {
  static let stuckData = FaultModel(
    "stuck-sda", .wire, "Holds SDA low: a transfer times out, and nine clock pulses free the bus."
  ) { _ in
    .dataStuck
  }
}

extension FaultModel {
  static let stuckClock = FaultModel(
    "stuck-scl", .wire, "Holds SCL low, which no recovery can end: every transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStuck($0.length)
  }
}

extension FaultModel {
  static let bitFlip = FaultModel(
    "bit-flip", .wire, "Inverts bits of a byte that is read.",
    [FaultKeys.byte(0...8191, "the index of the byte in its read"), FaultKeys.mask]
  ) {
    .bitFlip(byte: $0.byte, mask: $0.mask)
  }
}

extension FaultModel {
  static let stuckBits = FaultModel(
    "stuck-bits", .wire,
    "Bits of a byte that is read have the same level, whatever the device sends.",
    [
      FaultKeys.byte(0...8191, "the index of the byte in its read"),
      Key("mask", \.mask, .byte(1...255), "the stuck bits"),
      Key("level", \.level, .integer(0...1), "their level"),
    ]
  ) {
    .stuckBits(byte: $0.byte, mask: $0.mask, areSet: $0.level == 1)
  }
}

extension FaultModel {
  static let shortRead = FaultModel(
    "short-read", .wire, "The device releases SDA during a read: the remaining bytes read as 0xFF.",
    [Key("bytes", \.bytes, .integer(0...8191), "the number of bytes that arrive")]
  ) {
    .shortRead(bytes: $0.bytes)
  }
}

extension FaultModel {
  static let wrongDevice = FaultModel(
    "wrong-device", .wire,
    "Another chip answers instead of the device: it ACKs every write, and all its registers read the same value.",
    [Key("reads", \.registers, .byte(), "the value of all its registers")]
  ) {
    .otherTarget(reads: $0.registers)
  }
}

extension FaultModel {
  static let bridgeLate = FaultModel(
    "bridge-late", .bridge,
    "The bridge acknowledges a frame late; beyond its time_out the operation fails.",
    [FaultKeys.length]
  ) {
    .frameLate($0.length)
  }
}

extension FaultModel {
  static let bridgeLost = FaultModel(
    "bridge-lost", .bridge, "A response of the bridge is lost."
  ) { _ in
    .frameLost
  }
}

extension FaultModel {
  static let bridgeRepeated = FaultModel(
    "bridge-repeated", .bridge, "A frame arrives at the bridge twice and is executed twice."
  ) { _ in
    .frameRepeated
  }
}

extension FaultModel {
  static let adapterUnplugged = FaultModel(
    "adapter-unplugged", .adapter,
    "The adapter is unplugged: /dev/i2c-N vanishes, and transfers through open files fail with ENODEV, even after it returned.",
    [
      Key(
        "for", \.absence, .duration, "the time until it is plugged in again", absent: "to the end"
      ).alsoSpelled("duration", "length", "lasts", "time"),
      Key(
        "supplies", \.supplies, .boolean,
        "whether it supplies the devices, which then restart when it returns"),
    ]
  ) {
    .unplugged($0.absence ?? .max, cutsSupply: $0.supplies)
  }
}

extension FaultModel {
  static let powerLoss = FaultModel(
    "power-loss", .target,
    "The device loses its supply and restarts: a brown-out, or a connector that is pulled and plugged in again.",
    [Key("for", \.length, .duration, "the time without supply")]
  ) {
    .powerLoss($0.length)
  }
}

extension FaultModel {
  static let brownOut = FaultModel(
    "brown-out", .target,
    "The supply dips: the device restarts and copies only a part of its calibration.",
    [Key("kept", \.copied, .integer(0...33), "the number of bytes that are copied")]
  ) {
    .condition(.partialMemory(kept: $0.copied))
  }
}

extension FaultModel {
  static let wrongCalibration = FaultModel(
    "wrong-calibration", .target,
    "At its next start (reset or power-on) the device copies one byte of its calibration wrong.",
    [
      FaultKeys.byte(0...32, "the index of the byte, 0 for 0x88, 26 for 0xE1"),
      FaultKeys.mask,
    ]
  ) {
    .condition(
      .wrongMemory(byte: $0.byte, mask: $0.mask))
  }
}

extension FaultModel {
  static let frozen = FaultModel(
    "frozen", .target, "New results do not reach the data registers.", count: PlannedFault.unlimited
  ) { _ in
    .condition(.frozen)
  }
}

extension FaultModel {
  static let slowConversion = FaultModel(
    "slow-conversion", .target, "Conversions take the longest time of the datasheet.",
    count: PlannedFault.unlimited
  ) { _ in
    .condition(.slow)
  }
}

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results have a constant error.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.offset($0.error))
  }
}

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift by the given error per hour.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.drift($0.error))
  }
}
