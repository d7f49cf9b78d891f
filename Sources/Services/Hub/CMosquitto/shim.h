// The client library of the Eclipse Mosquitto project (EPL 2.0 or EDL 1.0), linked dynamically.
#include <mosquitto.h>
