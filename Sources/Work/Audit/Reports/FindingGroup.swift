import Text

/// Findings that have one cause.
struct FindingGroup {
  /// The cause, in words.
  let cause: String
  /// Whether it shows on all benches, whatever is special about them.
  let isCommon: Bool
  /// The findings, in the order of the scenarios.
  private(set) var judgements: [Judgement]

  /// The groups, common ones first, then the largest.
  static func all(of judgements: [Judgement]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    for judgement in judgements where judgement.verdict.isFinding {
      if let index = groups.firstIndex(where: { $0.cause == judgement.cause }) {
        groups[index].judgements.append(judgement)
      } else {
        groups.append(
          FindingGroup(
            cause: judgement.cause, isCommon: judgement.common != nil, judgements: [judgement]))
      }
    }
    // The order of equals stays that of the scenarios.
    return groups.enumerated().inOrder { one, other in
      if one.element.isCommon != other.element.isCommon { return one.element.isCommon }
      let (here, there) = (one.element.judgements.count, other.element.judgements.count)
      return here == there ? one.offset < other.offset : here > there
    }.map(\.element)
  }
}
