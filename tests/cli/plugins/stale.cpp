// A plug-in as it looks to a toroid that it was not compiled for.

extern "C" const char* toroid_plugin_stamp();
extern "C" void toroid_plugin();

const char* toroid_plugin_stamp() {
  return "headers 0123456789abcdef, compiler 1.0";
}
void toroid_plugin() {}
