public import I2C

/// The behavior of a widely used adapter: its functionality, its limits and its errno values.
public struct Personality: Sendable {
  /// The name used in a rig.
  public let name: String
  /// A short description of the adapter.
  public let summary: String
  /// The value that `I2C_FUNCS` returns.
  public let functionality: I2CFunctionality
  /// The limits of the adapter.
  public let quirks: I2CQuirks
  /// The errno for each kind of failure.
  public let errnoPolicy: ErrnoPolicy
  /// The longest clock stretch that the adapter tolerates, in nanoseconds.
  public let stretchLimit: UInt64
  /// The source from which the values of this personality are taken.
  public let source: String

  init(
    _ name: String, _ summary: String, functionality: I2CFunctionality = .standard,
    quirks: I2CQuirks = .none, errnoPolicy: ErrnoPolicy, stretchLimit: UInt64 = 1_000_000_000,
    source: String
  ) {
    self.name = name
    self.summary = summary
    self.functionality = functionality
    self.quirks = quirks
    self.errnoPolicy = errnoPolicy
    self.stretchLimit = stretchLimit
    self.source = source
  }

  /// The aliases, which map the names of boards to the personality of their adapter.
  public static let aliases: [String: String] = [
    "raspberry-pi-zero": "raspberry-pi", "raspberry-pi-2": "raspberry-pi",
    "raspberry-pi-3": "raspberry-pi", "raspberry-pi-4": "raspberry-pi",
  ]

  /// Creates the personality with a name or alias; returns `nil` for an unknown name.
  public init?(named name: String) {
    let name = Personality.aliases[name] ?? name
    guard let found = Personality.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension Personality {
  /// All personalities.
  public static let all: [Personality] = [
    raspberryPi, raspberryPi5, gpio, tinyUSB, cp2112, mcp2221, ft260, at91, imx, automat,
  ]

  /// The standard functionality without the SMBus quick command, which is a message without bytes.
  private static let withoutQuick = I2CFunctionality.standard.subtracting(
    I2CFunctionality(rawValue: 0x0001_0000))

  private static let raspberryPi = Personality(
    "raspberry-pi", "Raspberry Pi up to 4 (BCM2835); its clock stretching is broken",
    errnoPolicy: ErrnoPolicy(
      addressNack: .eremoteio, dataNack: .eremoteio, arbitrationLost: .eio, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 640_000,
    source: """
      Linux drivers/i2c/busses/i2c-bcm2835.c: any NACK is EREMOTEIO, other errors EIO, nothing after 1 s \
      ETIMEDOUT, quirk no-clock-stretch; the timeout after 64 SCL cycles (0.64 ms at 100 kHz), which newer \
      kernels disable, is general knowledge; corrupted bytes (raspberrypi/linux 254, 4884) are not modelled
      """)

  private static let raspberryPi5 = Personality(
    "raspberry-pi-5", "Raspberry Pi 5 (RP1, Synopsys DesignWare)",
    functionality: withoutQuick, quirks: I2CQuirks(noZeroLength: true),
    errnoPolicy: ErrnoPolicy(
      addressNack: .eremoteio, dataNack: .eremoteio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    source: """
      Linux drivers/i2c/busses/i2c-designware-common.c: any NACK is EREMOTEIO, lost arbitration EAGAIN, else EIO \
      (reported by users: gassajor000/pn532pi PR 29); no zero-length messages is general knowledge
      """)

  private static let gpio = Personality(
    "i2c-gpio", "two pins, toggled by the kernel",
    functionality: [.standard, .tenBitAddresses],
    errnoPolicy: ErrnoPolicy(
      addressNack: .enxio, dataNack: .eio, arbitrationLost: .eio, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: """
      Linux drivers/i2c/algos/i2c-algo-bit.c: an address NACK is ENXIO, a message that ends early EIO, SCL \
      held low ETIMEDOUT, 10-bit addresses; protocol mangling and messages without a start, which it supports, are \
      not modelled; the 100 ms of i2c-gpio are general knowledge
      """)

  private static let tinyUSB = Personality(
    "i2c-tiny-usb", "the USB adapter of a microcontroller",
    errnoPolicy: ErrnoPolicy(
      addressNack: .eremoteio, dataNack: .eremoteio, arbitrationLost: .eremoteio,
      busError: .eremoteio, timeOut: .eremoteio),
    stretchLimit: 10_000_000,
    source: """
      Linux drivers/i2c/busses/i2c-tiny-usb.c: every failure is EREMOTEIO; the firmware timeout of 10 ms \
      is an assumption
      """)

  private static let cp2112 = Personality(
    "cp2112", "Silicon Labs CP2112 (USB)",
    functionality: withoutQuick,
    quirks: I2CQuirks(
      maxReadLength: 512, maxWriteLength: 61, maxMessages: 2, maxCombinedWriteLength: 16,
      maxCombinedReadLength: 512, noZeroLength: true),
    errnoPolicy: ErrnoPolicy(
      addressNack: .enxio, dataNack: .eio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: """
      Linux drivers/hid/hid-cp2112.c: reads up to 512 bytes, writes up to 61, one message or a write of up to 16 \
      bytes and a read (there EINVAL and EOPNOTSUPP, here always EOPNOTSUPP), timeouts ETIMEDOUT; the errno of a \
      NACK is general knowledge
      """)

  private static let mcp2221 = Personality(
    "mcp2221", "Microchip MCP2221 (USB)",
    functionality: withoutQuick, quirks: I2CQuirks(noZeroLength: true),
    errnoPolicy: ErrnoPolicy(
      addressNack: .enxio, dataNack: .enxio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: "general knowledge of Linux drivers/hid/hid-mcp2221.c")

  private static let ft260 = Personality(
    "ft260", "FTDI FT260 (USB)",
    functionality: withoutQuick, quirks: I2CQuirks(noZeroLength: true),
    errnoPolicy: ErrnoPolicy(
      addressNack: .enxio, dataNack: .enxio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: "general knowledge of Linux drivers/hid/hid-ft260.c")

  private static let at91 = Personality(
    "at91", "Microchip (Atmel) AT91 and SAMA5",
    quirks: I2CQuirks(maxMessages: 2, maxCombinedWriteLength: 3),
    errnoPolicy: ErrnoPolicy(
      addressNack: .eremoteio, dataNack: .eremoteio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: """
      Linux drivers/i2c/busses/i2c-at91-master.c: at most two messages, the first of them a write of up to 3 \
      bytes; the errno values and the 100 ms are general knowledge
      """)

  private static let imx = Personality(
    "imx", "NXP i.MX",
    errnoPolicy: ErrnoPolicy(
      addressNack: .enxio, dataNack: .enxio, arbitrationLost: .eagain, busError: .eio,
      timeOut: .etimedout),
    stretchLimit: 100_000_000,
    source: """
      Linux drivers/i2c/busses/i2c-imx.c: any NACK is ENXIO, lost arbitration EAGAIN, nothing after 100 ms \
      ETIMEDOUT
      """)

  private static let automat = Personality(
    "automat", "the thesis's Automat as a phone sees it, without its radio",
    quirks: I2CQuirks(
      maxReadLength: 18, maxWriteLength: 19, maxMessages: 2, maxCombinedWriteLength: 18,
      maxCombinedReadLength: 18),
    errnoPolicy: ErrnoPolicy(
      addressNack: .etimedout, dataNack: .etimedout, arbitrationLost: .etimedout,
      busError: .etimedout, timeOut: .etimedout),
    source: """
      the thesis's firmware: 18 bytes a read (fixtures of the bridge); a failed transfer is modelled as a \
      missing response, as in the model of the bridge
      """)
}
