import ArgumentParser
import Files
import FirmwareRuns
import Images
import Rigs

/// An address on the command line, hexadecimal with `0x`.
struct ImageAddress: ExpressibleByArgument {
  let value: UInt32

  init?(argument: String) {
    guard let number = RigText.integer(argument), let value = UInt32(exactly: number) else {
      return nil
    }
    self.value = value
  }
}

/// Which image runs on which microcontroller.
struct FirmwareTarget: ParsableArguments {
  /// The name of a microcontroller, for an example.
  static let example = MicrocontrollerModel.all.last?.name ?? ""

  @Argument(
    help: "The image: an ELF, Intel HEX, or raw bytes.",
    completion: .file(extensions: ["elf", "hex", "bin"]))
  var image: String

  @Option(
    help: .value(
      "name",
      "The microcontroller: \(MicrocontrollerModel.names); unless given, the only one that the image fits."
    ),
    completion: .list(MicrocontrollerModel.all.map(\.name)))
  var mcu: String?

  @Option(help: .value("where", "Where raw bytes go, for example 0x08000000."))
  var at: ImageAddress?

  func validate() throws {
    if let mcu, MicrocontrollerModel.named(mcu) == nil {
      throw ValidationError(MicrocontrollerModel.unknown(mcu))
    }
  }

  /// The image, and the microcontroller for it.
  ///
  /// - Parameter tell: is told which one was chosen where nobody said it.
  /// - Returns: both.
  /// - Throws: `Failure` when it is no image, or fits nowhere.
  func chosen(
    tell: (String) -> Void
  ) throws(Failure) -> (image: FirmwareImage, model: MicrocontrollerModel) {
    let image = try FirmwareImage(
      path: image, rawAddress: at?.value, for: MicrocontrollerModel.profiles(mcu))
    return (image, try MicrocontrollerModel.chosen(mcu, for: image, tell: tell))
  }
}
