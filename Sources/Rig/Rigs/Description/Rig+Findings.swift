package import Findings

extension Rig {
  /// What there is to say of a rig without a mistake: former names, air that a sensor is not made for, excesses, and that it is good.
  package var findings: [Finding] {
    notes + airNotes + accuracyWarnings
      + [Finding(.passed, "rig", at: Finding.Place(file: file), "ok")]
  }
}
