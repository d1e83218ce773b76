// A plug-in as it looks to a toroid that it was not compiled for: of another interface, or by another compiler.

extern "C" int toroid_plugin_interface();
extern "C" const char* toroid_plugin_abi();
extern "C" void toroid_plugin();

int toroid_plugin_interface() {
  return INTERFACE_VERSION;
}
const char* toroid_plugin_abi() {
  return "C++ ABI 1, library's ABI 0";
}
void toroid_plugin() {}
