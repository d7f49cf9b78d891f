extension AirWarehouse {
  /// Its tags as they really are, for who puts them on another air.
  public var plan: StackPlan { StackPlan(rig) }
}
