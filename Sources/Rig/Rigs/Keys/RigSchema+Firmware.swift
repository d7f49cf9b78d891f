import Schema

extension RigSchema {
  /// What data sheets call the I2C controllers of microcontrollers.
  private static let controllers = [
    "TWIM0", "TWIM1", "TWI0", "TWI1", "TWI", "I2C1", "I2C2", "I2C3",
  ]

  static let firmware = Section(
    "An image that runs on a virtual microcontroller, until the duration of the rig is over.",
    [
      .required("image", .path, "the image: an ELF, Intel HEX, or raw bytes"),
      .optional("built_by", .text, "the command that makes the image, told where there is none"),
      .optional(
        "mcu", .text, "the microcontroller (aneroid firmware --help); guessed unless given"),
      .optional("at", .integer(0...0xFFFF_FFFF), "where raw bytes go"),
      .optional(
        "i2c", .section(controllerBuses),
        "which controller has which bus; unless given all have the only bus, or one each"),
      .optional(
        "software_i2c", .list(.section(softwareBus)),
        "buses at pins that the program moves itself, without a controller; none unless given"),
      .optional(
        "until", .text, "a regular expression: a line of a UART that matches it ends the run"),
    ])

  private static let controllerBuses = Section(
    "N of the bus at each I2C controller, as the data sheet calls it.",
    controllers.map { .optional($0, busNumber, "the bus at \($0); none unless given") })

  private static let softwareBus = Section(
    "A bus at two pins that the program moves itself.",
    [
      .required("scl", .text, "the pin of the clock, as the data sheet calls it"),
      .required("sda", .text, "the pin of the data").example("PB9"),
      .required("bus", busNumber, "N of the bus there"),
    ])
}
