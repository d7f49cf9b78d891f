/* Fills the EEPROM of an ATmega328P from its beginning, empties it from its end, and so on without end; after a reset it goes
 * on where it was. */
#include <avr/eeprom.h>
#include <avr/io.h>

static uint8_t *at(uint16_t place) { return (uint8_t *)place; }
static uint8_t value(uint16_t place) { return (uint8_t)(place * 7 % 255); }

int main(void) {
  for (;;) {
    uint16_t place = 0;
    while (place <= E2END && eeprom_read_byte(at(place)) != 0xFF) place++;
    for (; place <= E2END; place++) eeprom_write_byte(at(place), value(place));
    while (place-- > 0) eeprom_write_byte(at(place), 0xFF);
  }
}
