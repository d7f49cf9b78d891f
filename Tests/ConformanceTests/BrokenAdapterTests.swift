import Conformance
import I2C
import Testing

/// The conformance check detects each defect of an adapter.
struct BrokenAdapterTests {
  /// The defects of an adapter.
  enum Defect: CaseIterable {
    case swallowsFailures, forgetsMessage, splitsTransfers, dropsLastByte, readsBackwards
    case leavesReadAlone, sendsBehindFailure, refusesEmpty
  }

  @Test("an adapter with a defect fails the conformance check", arguments: Defect.allCases)
  func told(_ defect: Defect) throws {
    let differences = Conformance.differences(of: Broken(try Bus().adapter, defect))
    #expect(!differences.isEmpty)
  }

  @Test("the report of a deviation shows the actual transfer below the required one")
  func text() throws {
    let differences = Conformance.differences(of: Broken(try Bus().adapter, .readsBackwards))
    #expect(
      differences.first?.description == """
        several bytes are read in order:
        - 0x76  w 88  r 10 6e 6c 66 32 00 5d 95
        + 0x76  w 88  r 95 5d 00 32 66 6c 6e 10
        """)
    let silent = Conformance.differences(of: Broken(try Bus().adapter, .swallowsFailures))
    #expect(
      silent.first?.description == """
        an address without a target is a NACK:
        - 0x55  w d0  r [1]   failed: address not acknowledged (message 0, ENXIO)
        + 0x55  w d0  r ee
        """)
  }

  /// An adapter with a defect.
  private final class Broken: I2CAdapter {
    private let adapter: any I2CAdapter
    private let defect: Defect

    init(_ adapter: any I2CAdapter, _ defect: Defect) {
      self.adapter = adapter
      self.defect = defect
    }

    var functionality: I2CFunctionality { adapter.functionality }
    var quirks: I2CQuirks { adapter.quirks }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      let all = segments.indices.map { segments[$0] }
      do throws(I2CError) {
        switch defect {
        case .dropsLastByte where all.count == 1 && all[0].count > 1 && all[0].direction == .write:
          let cut: [I2CSegment] = [.write(all[0].count - 1, to: all[0].address)]
          try adapter.transfer(cut.span, writing: writing, reading: &reading)
        case .refusesEmpty where all[0].count == 0:
          throw I2CError(.unsupported, errno: .eopnotsupp)
        case .splitsTransfers where all.count == 2 && all[0].address != all[1].address:
          try adapter.transfer([all[0]].span, writing: writing, reading: &reading)
          try adapter.transfer([all[1]].span, writing: writing, reading: &reading)
        case .sendsBehindFailure where all.count == 2 && all[0].address == 0x55:
          if all[1].direction == .write {
            let bytes = writing.indices.dropFirst(all[0].count).map { writing[$0] }
            try? adapter.transfer([all[1]].span, writing: bytes.span, reading: &reading)
          }
          try adapter.transfer([all[0]].span, writing: writing, reading: &reading)
        case .leavesReadAlone where all.count == 1 && all[0].direction == .read: break
        default: try adapter.transfer(segments, writing: writing, reading: &reading)
        }
      } catch {
        if defect == .swallowsFailures { return }
        throw defect == .forgetsMessage
          ? I2CError(error.kind, message: 0, byte: error.byte, errno: error.errno) : error
      }
      guard defect == .readsBackwards else { return }
      let bytes = reading.indices.map { reading[$0] }
      for (index, byte) in bytes.reversed().enumerated() { reading[index] = byte }
    }
  }
}
