import CLinuxI2C

/// The way in which SMBus transactions reach the kernel: libi2c or the ioctl that libi2c wraps.
///
/// Both make the same system call. Default: libi2c if the program is linked with it, as a build from source and the
/// Debian packages are; the self-contained binary uses the ioctl.
public enum SMBusInterface: String, Hashable, Sendable, CaseIterable {
  /// `i2c_smbus_access` of libi2c.
  case libi2c
  /// `ioctl(fd, I2C_SMBUS, ...)`.
  case ioctl

  /// The interfaces that this program can use, the default first.
  public static var available: [SMBusInterface] {
    linux_i2c_has_library() ? [.libi2c, .ioctl] : [.ioctl]
  }
}
