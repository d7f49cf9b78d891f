import Bridges
package import Schema

extension RigReader {
  /// Reads the board of a bus.
  package mutating func bridge(_ value: CheckedValue?) -> Rig.Bridge? {
    guard let value else { return nil }
    let name = value.text ?? value["kind"]?.text
    var bridge = Rig.Bridge(name.flatMap(BoardModel.named) ?? .usual)
    func nanoseconds(_ key: String) -> UInt64? { value[key]?.nanoseconds.map(UInt64.init) }
    if let interval = nanoseconds("interval") { bridge.link.interval = interval }
    if let jitter = value["jitter"]?.number { bridge.link.jitter = jitter }
    if let limit = value["limit"]?.integer { bridge.settings.limit = limit }
    if let word = value["past_limit"]?.text {
      bridge.settings.pastLimit = BoardSettings.PastLimit(rawValue: word) ?? .silent
    }
    if let tells = value["tells_limit"]?.boolean { bridge.settings.tellsLimit = tells }
    if let timeOut = nanoseconds("time_out") { bridge.settings.timeOut = timeOut }
    if let loss = value["loss"]?.number { bridge.link.loss = loss }
    for outage in value["outages"]?.list ?? [] where outage.isSound {
      let start = UInt64(outage["at"]?.nanoseconds ?? 0)
      bridge.link.outages.append(start..<(start + UInt64(outage["for"]?.nanoseconds ?? 0)))
    }
    for silence in value["silences"]?.list ?? [] where silence.isSound {
      let start = UInt64(silence["at"]?.nanoseconds ?? 0)
      bridge.link.silences.append(start..<(start + UInt64(silence["for"]?.nanoseconds ?? 0)))
    }
    if let plan = value["power"], plan.isSound {
      var power = BoardPower()
      if let capacity = plan["capacity_mah"]?.number { power.capacity = capacity }
      if let charge = plan["charge"]?.number { power.charged = charge }
      power.sleeps = plan["sleep"]?.boolean ?? false
      bridge.link.power = power
    }
    bridge.radios = radios(value)
    bridge.link.batteryLife = nanoseconds("battery_life")
    return bridge
  }

  /// Reads where the radios of a board are that is reached over real frames.
  private mutating func radios(_ bridge: CheckedValue) -> BoardRadios? {
    let plan = bridge["radios"]
    guard bridge["link"]?.text.map({ $0 == "ble" }) ?? (plan != nil) else {
      if let plan { checker.note("radios need 'link: ble'", at: plan.position) }
      return nil
    }
    var radios = BoardRadios()
    if let plan, plan.isSound {
      radios.client = plan["client"]?.text ?? radios.client
      radios.board = plan["board"]?.text ?? radios.board
      if (radios.client == "virtual") != (radios.board == "virtual") {
        checker.note(
          "a virtual radio hears no real one: give both, for example {client: \"usb:0\", board: \"usb:1\"}",
          at: plan.position)
      }
    }
    return radios
  }
}
