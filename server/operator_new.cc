// operator new of the server where mimalloc is linked: mimalloc's own ends the process when memory is out (2.0, Debian 12:
// it does not see the handler of std::set_new_handler), although a connection could end alone. malloc is mimalloc's here, too.
// Tested by tests/server/hostile.py.
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (void* made = std::malloc(size)) return made;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
