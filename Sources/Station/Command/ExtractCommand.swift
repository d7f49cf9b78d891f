import ArgumentParser
import Forecasts
import Glibc

/// Cuts a model's file down to its surface.
struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Cut a model's large file down to the surface metrics that the station reads.",
    discussion: """
      aneroid station extract wrfout_d01.nc --output surface.nc
      """)

  @Argument(help: ArgumentHelp("The model's file (NetCDF, classic or 4).", valueName: "file"))
  var input: String

  @Option(name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"))
  var output: String

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      let result = try SurfaceExtract.run(input, to: output)
      print("\(output): \(result.variables.joined(separator: " "))")
      print("\(result.before) bytes have become \(result.after)")
    } catch {
      Talk.fail("cannot extract: \(error)", access(input, F_OK) == 0 ? 65 : 66)
    }
  }
}
