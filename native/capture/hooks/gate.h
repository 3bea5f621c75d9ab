// Who may change what a capture looks at. Every watched call passes the gate; a capture closes it,
// so that no memory comes or goes and no packet or copy is submitted while it reads.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace capture {

std::shared_mutex& gate();

using Passing = std::shared_lock<std::shared_mutex>;
using Closed = std::unique_lock<std::shared_mutex>;

}  // namespace capture
