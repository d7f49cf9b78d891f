import Support

/// Findings with the same cause.
struct FindingGroup {
  let cause: String
  /// `true` if the cause occurs on all benches.
  let isCommon: Bool
  /// The findings, in the order of the scenarios.
  private(set) var judgements: [Judgement]

  /// Groups judgements: common causes first, then the largest groups.
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
    // Groups of equal size keep the order of the scenarios.
    return groups.enumerated().inOrder { one, other in
      if one.element.isCommon != other.element.isCommon { return one.element.isCommon }
      let (here, there) = (one.element.judgements.count, other.element.judgements.count)
      return here == there ? one.offset < other.offset : here > there
    }.map(\.element)
  }
}
