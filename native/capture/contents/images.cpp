#include "contents/images.h"

#include <atomic>

namespace capture {
namespace {

std::atomic<uint64_t> images{0};
decltype(hsa_ext_image_create)* original = nullptr;

hsa_status_t create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
                    const void* data, hsa_access_permission_t access, hsa_ext_image_t* image) {
  ++images;
  return original(agent, descriptor, data, access, image);
}

}  // namespace

void watch_images(HsaApiTable* table) {
  if (!table->image_ext_ || !table->image_ext_->hsa_ext_image_create_fn) return;
  original = table->image_ext_->hsa_ext_image_create_fn;
  table->image_ext_->hsa_ext_image_create_fn = create;
}

uint64_t image_count() { return images; }

}  // namespace capture
