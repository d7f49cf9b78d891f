import ArgumentParser
import HubRuns
import WarehouseRuns

/// Puts virtual tags on the air of a Bluetooth stack, for other people's centrals.
struct TagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "Put virtual SensorTags on the air for other programs.",
    discussion: """
      EXAMPLES
        aneroid hub tags
        bumble-scan tcp-client:127.0.0.1:6402
        bumble-gatt-dump tcp-client:127.0.0.1:6402 C4:BE:84:70:00:01
        aneroid hub tags rigs/warehouse.yaml --air unix-server:/tmp/air
        aneroid hub tags --kind cc2541 --radio usb:0

      The tags advertise until Ctrl-C. Another program is the host of a controller \
      that hears them: it speaks HCI at the transport that --air names, one program \
      at a time each (give --air again for more). A hub reaches them with 'link: \
      {transport: "tcp-client:127.0.0.1:6402"}'. With --radio one tag is on a real \
      controller instead, for phones.

      Without a rig there is a tag of each kind, in air of 21 °C and 50 %; with one, \
      its tags are there, in its air from now on. Needs Python's bumble.
      """)

  @Argument(
    help: "A rig whose tags and air are taken.", completion: .file(extensions: ["yaml"]))
  var rig: String?

  @Option(
    help: ArgumentHelp(
      "Where others reach the air, as Bumble names transports; tcp-server:127.0.0.1:6402 unless given.",
      valueName: "transport"))
  var air: [String] = []

  @Option(help: "Only a tag of this kind: cc2650 or cc2541.")
  var kind: String?

  @Option(
    help: ArgumentHelp(
      "A controller for one tag, such as usb:0 or hci-socket:0, in place of the air.",
      valueName: "transport"))
  var radio: String?

  func run() throws {
    var tags = try plans()
    if let kind { tags.removeAll { $0.kind != kind } }
    guard !tags.isEmpty else {
      throw ValidationError(
        "there is no tag of the kind '\(kind ?? "")'; try cc2650 or cc2541")
    }
    guard radio == nil || air.isEmpty else {
      throw ValidationError("--radio and --air exclude each other")
    }
    if radio != nil { tags.removeLast(tags.count - 1) }
    EndSign.listen()
    let places = radio != nil ? [] : air.isEmpty ? ["tcp-server:127.0.0.1:6402"] : air
    do throws(StackRunError) {
      let all = try TagsOnAir(tags, at: places, radio: radio ?? "virtual")
      all.begin()
      for tag in tags { HubConsole.put("\(tag.address)  \(tag.kind)\n") }
      let place = radio ?? places.joined(separator: ", ")
      HubConsole.say("on the air at \(place) (Ctrl-C ends it)")
      try all.wait()
    } catch {
      HubConsole.fail(error.description, error.status)
    }
  }

  /// The tags of the rig, or one of each kind.
  private func plans() throws -> [StackPlan.Tag] {
    guard let rig else { return StackPlan.Tag.examples }
    switch StackWarehouse.read(
      path: rig, seed: nil, format: .text, write: { _ in }, complain: HubConsole.say)
    {
    case .failed(let status): throw ExitCode(status)
    case .air(let warehouse): return warehouse.plan.tags
    case .stack(let warehouse): return warehouse.plan.tags
    }
  }
}
