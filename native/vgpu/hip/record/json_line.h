// One JSON object, written as it grows.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace vgpu::hip {

std::string json_quoted(const std::string& text);

class JsonObject {
 public:
  template <class T>
  JsonObject& add(const char* key, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return raw(key, value ? "true" : "false");
    } else if constexpr (std::is_integral_v<T>) {
      return raw(key, std::to_string(value));
    } else if constexpr (std::is_pointer_v<T> && !std::is_same_v<T, const char*>) {
      return raw(key, std::to_string(reinterpret_cast<uintptr_t>(value)));
    } else {
      return raw(key, json_quoted(value));
    }
  }
  JsonObject& add(const char* key, const JsonObject& object) { return raw(key, object.text()); }
  JsonObject& triple(const char* key, const uint32_t (&v)[3]) {
    return raw(key, "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," +
                        std::to_string(v[2]) + "]");
  }
  // `json` is already JSON.
  JsonObject& raw(const char* key, const std::string& json) {
    body_ += body_.empty() ? "\"" : ",\"";
    body_ += key;
    body_ += "\":";
    body_ += json;
    return *this;
  }
  std::string text() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

// "[a,b,c]" from what `write` makes of every item.
template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += ",";
    list += write(item);
  }
  return list + "]";
}

}  // namespace vgpu::hip
