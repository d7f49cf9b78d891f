package import Environment
package import Files
import Text

/// The hatches of a cabin as a command line names them: `node-service,service-cargo`.
package struct HatchList {
  /// The modules and hatches, and the module of the sensor; volumes and air are not known.
  package let plan: (plan: CabinPlan, module: Int)

  /// Reads a list.
  ///
  /// - Parameters:
  ///   - text: pairs of modules with a hyphen between, commas between pairs.
  ///   - sensor: the module of the sensor; the first that is named unless given.
  /// - Throws: `Failure` of kind usage when it is no such list.
  package init(_ text: String, sensor: String?) throws(Failure) {
    var names: [String] = []
    var hatches: [CabinPlan.Hatch] = []
    func index(_ name: String) -> Int {
      if let index = names.firstIndex(of: name) { return index }
      names.append(name)
      return names.count - 1
    }
    guard let pairs = CSV.fields(of: text.utf8, CSV.Form(isPadded: true)), !pairs.isEmpty else {
      throw Failure(
        .usage, "--hatches: '\(text)' names no hatches, such as node-service,service-cargo")
    }
    for pair in pairs {
      let ends = pair.split(separator: "-", omittingEmptySubsequences: false).map {
        String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      }
      guard ends.count == 2, ends.allSatisfy({ !$0.isEmpty }), ends[0] != ends[1] else {
        throw Failure(
          .usage,
          "--hatches: '\(pair)' is no hatch: it is between two modules, such as node-service")
      }
      hatches.append(CabinPlan.Hatch(index(ends[0]), index(ends[1])))
    }
    guard let module = sensor.map({ names.firstIndex(of: $0) }) ?? 0 else {
      let hint = NearestWord.hint(sensor ?? "", among: names)
      throw Failure(.usage, "--module: no hatch leads to '\(sensor ?? "")'\(hint)")
    }
    let plan = CabinPlan(
      modules: names.map { CabinPlan.Module(name: $0, volume: 1) }, hatches: hatches,
      air: Air(pressure: 101_325, temperature: 21, humidity: 50))
    self.plan = (plan, module)
  }
}
