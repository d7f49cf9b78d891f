/// The embedded parts of the page by the names that its frame calls them by.
enum PageParts {
  /// The style sheets.
  static let sheets: [String: String] = [
    "style/tokens.css": WeatherPage.text(PackageResources.tokens_css),
    "style/sky.css": WeatherPage.text(PackageResources.sky_css),
    "style/frame.css": WeatherPage.text(PackageResources.frame_css),
    "style/controls.css": WeatherPage.text(PackageResources.controls_css),
    "style/weather.css": WeatherPage.text(PackageResources.weather_css),
    "style/station.css": WeatherPage.text(PackageResources.station_css),
  ]

  /// The scripts.
  static let scripts: [String: String] = [
    "text/english.js": WeatherPage.text(PackageResources.english_js),
    "text/portuguese.js": WeatherPage.text(PackageResources.portuguese_js),
    "text/barometer.js": WeatherPage.text(PackageResources.barometer_js),
    "text/gazetteer.js": WeatherPage.text(PackageResources.gazetteer_js),
    "script/dom.js": WeatherPage.text(PackageResources.dom_js),
    "script/language.js": WeatherPage.text(PackageResources.language_js),
    "script/time.js": WeatherPage.text(PackageResources.time_js),
    "script/units.js": WeatherPage.text(PackageResources.units_js),
    "script/weather.js": WeatherPage.text(PackageResources.weather_js),
    "script/icons.js": WeatherPage.text(PackageResources.icons_js),
    "script/store.js": WeatherPage.text(PackageResources.store_js),
    "script/place.js": WeatherPage.text(PackageResources.place_js),
    "script/search.js": WeatherPage.text(PackageResources.search_js),
    "script/metrics.js": WeatherPage.text(PackageResources.metrics_js),
    "script/forecast.js": WeatherPage.text(PackageResources.forecast_js),
    "script/service.js": WeatherPage.text(PackageResources.service_js),
    "script/state.js": WeatherPage.text(PackageResources.state_js),
    "script/scene.js": WeatherPage.text(PackageResources.scene_js),
    "script/curve.js": WeatherPage.text(PackageResources.curve_js),
    "script/strip.js": WeatherPage.text(PackageResources.strip_js),
    "script/present.js": WeatherPage.text(PackageResources.present_js),
    "script/outlook.js": WeatherPage.text(PackageResources.outlook_js),
    "script/station.js": WeatherPage.text(PackageResources.station_js),
    "script/correction.js": WeatherPage.text(PackageResources.correction_js),
    "script/menu.js": WeatherPage.text(PackageResources.menu_js),
    "script/search-box.js": WeatherPage.text(PackageResources.search_box_js),
    "script/favourites.js": WeatherPage.text(PackageResources.favourites_js),
    "script/choices.js": WeatherPage.text(PackageResources.choices_js),
    "script/locate.js": WeatherPage.text(PackageResources.locate_js),
    "script/share.js": WeatherPage.text(PackageResources.share_js),
    "script/live.js": WeatherPage.text(PackageResources.live_js),
    "script/asking.js": WeatherPage.text(PackageResources.asking_js),
    "script/start.js": WeatherPage.text(PackageResources.start_js),
  ]
}
