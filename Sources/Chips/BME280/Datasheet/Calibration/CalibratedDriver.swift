/// A driver that has read a calibration, so that others can compute with it too.
public protocol CalibratedDriver: AnyObject {
  /// The calibration; `nil` until it was read.
  var calibration: Calibration? { get }
}
