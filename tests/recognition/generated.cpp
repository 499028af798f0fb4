// SPDX-License-Identifier: MIT
#include "generated.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace recognition {
namespace {

/// Returns a size. Half of the sizes are short, because short packets are most likely to be valid by accident. No size
/// is larger than a datagram or segment of the MTU.
std::size_t any_size(Random &random) {
  if (random.one_in(2)) return random.between(1, 48);
  return random.one_in(4) ? random.between(1, 1400) : random.between(1, 256);
}

// --- The classes: each function makes a packet's payload from the state of the conversation

std::string random_packet(const ConversationState &state) {
  std::string bytes;
  put_noise(bytes, state.random, any_size(state.random));
  return bytes;
}

std::string zeros(const ConversationState &state) {
  std::string bytes(any_size(state.random), '\0');
  // Some with a single different byte.
  if (state.format_number % 4 == 0) bytes[state.random.between(0, static_cast<std::uint32_t>(bytes.size() - 1))] = '\1';
  if (state.format_number % 4 == 1) bytes.front() = static_cast<char>(state.random.between(0, 255));
  return bytes;
}

std::string json(Random &random) {
  std::string text = "{";
  for (std::uint32_t left = random.between(0, 8); left > 0; --left) {
    text += '"' + word_of_text(random) + "\":";
    text += random.one_in(2) ? std::to_string(random.between(0, 1000)) : '"' + word_of_text(random) + '"';
    if (left > 1) text += ',';
  }
  return text + '}';
}

std::string ascii(const ConversationState &state) {
  Random &random = state.random;
  std::string text;
  switch (state.format_number % 4) {
    case 0:
      for (std::size_t left = any_size(random); left > 0; --left) text += static_cast<char>(random.between(' ', '~'));
      break;
    case 1:
      for (std::uint32_t left = random.between(1, 40); left > 0; --left) text += word_of_text(random) + ' ';
      text.back() = '\n';
      break;
    case 2:
      text = json(random);
      break;
    default:
      text = word_of_text(random) + ' ' + std::to_string(random.between(0, 100000)) + "\r\n";
  }
  return text;
}

/// Records of little-endian u32 that count and repeat.
std::string counters(const ConversationState &state) {
  Random &random = state.random;
  std::string bytes;
  const std::uint32_t words = state.format_number % 16 + 1;
  for (std::uint32_t records = random.one_in(3) ? random.between(1, 20) : 1, record = 0; record < records; ++record) {
    put(bytes, state.counter % 64 + state.number + record, 4);
    for (std::uint32_t i = 1; i < words; ++i) put(bytes, random.between(0, random.one_in(4) ? 0xffffffff : 300), 4);
  }
  return bytes;
}

/// Content after its length, with or without a u32 for the type, and with or without padding. The author of a protocol
/// may choose any of these formats.
std::string records(const ConversationState &state) {
  Random &random = state.random;
  const std::uint32_t format_number = state.format_number;
  const bool big_endian = (format_number & 1) != 0;
  const std::size_t length_size = (format_number & 2) != 0 ? 4 : 2;
  std::string bytes;
  for (std::uint32_t count = random.one_in(3) ? random.between(1, 8) : 1; count > 0; --count) {
    std::string content;
    for (std::uint32_t parts = random.between(0, 6); parts > 0; --parts) {
      const std::string text = word_of_text(random, 20);
      if ((format_number & 4) != 0) put(content, text.size(), 4, big_endian);  // the padding of XDR
      content += text;
      if ((format_number & 8) != 0) content.resize((content.size() + 3) / 4 * 4, '\0');
      if ((format_number & 16) != 0) put_noise(content, random, std::size_t{4} * random.between(0, 4));
    }
    const std::size_t type_size = (format_number & 32) != 0 ? length_size : 0;
    const bool type_first = (format_number & 64) != 0;
    if (type_first) put(bytes, random.between(0, 40), type_size, big_endian);
    put(bytes, content.size() + (format_number & 128 ? length_size : 0), length_size, big_endian);  // some include it
    if (!type_first) put(bytes, random.between(0, 40), type_size, big_endian);
    bytes += content;
  }
  return bytes;
}

/// The first u32 is the id of one of Godot's types. Only by accident is the rest a value of this type.
std::string first_words(const ConversationState &state) {
  Random &random = state.random;
  std::string bytes;
  put(bytes, random.between(0, 38), 4);
  const std::size_t words = random.one_in(2) ? random.between(0, 8) : random.between(0, 60);
  switch (state.format_number % 5) {
    case 0:
      put_noise(bytes, random, 4 * words);
      break;
    case 1:
      for (std::size_t i = 0; i < words; ++i) put(bytes, random.between(0, 40), 4);
      break;
    case 2:
      for (std::size_t i = 0; i < words; ++i) put_float(bytes, static_cast<float>(random.between(0, 20000)) / 16 - 600);
      break;
    case 3:
      for (std::size_t i = 0; i < words; ++i) bytes += word_of_text(random, 8);
      break;
    default:
      for (std::size_t i = 0; i < words; ++i) put(bytes, random.one_in(2) ? random.between(0, 40) : random.word(), 4);
  }
  if (random.one_in(5)) bytes.resize(bytes.size() - random.between(1, 3));
  return bytes;
}

// --- Custom formats that stay the same through a conversation

/// Returns a generator with the seed of the conversation, so that all its packets have the same format.
Random of_conversation(const ConversationState &state) {
  return Random((std::uint64_t{state.format_number} << 32) | state.counter);
}

/// Adds a field; its type is the same in each packet. Its value is constant, counts, or is random.
void put_field(std::string &bytes, const ConversationState &state, Random &format) {
  Random &random = state.random;
  const std::uint32_t type = format.between(0, 8);
  const std::uint32_t first = format.between(0, format.one_in(2) ? 40 : 100000);
  const std::uint32_t how = format.between(0, 2);
  const std::uint32_t value = how == 0 ? first : how == 1 ? first + state.number : random.between(0, first);
  switch (type) {
    case 0:
      return put(bytes, value, 1);
    case 1:
      return put(bytes, value, 2);
    case 2:
    case 3:
      return put(bytes, value, 4);
    case 4:
    case 5:
      return put_float(bytes, static_cast<float>(random.between(0, 20000)) / 16 - 600);
    case 6:
      return put(bytes, value, 8);
    case 7:
      return put(bytes, random.between(0, 1), format.one_in(2) ? 1 : 4);
    default: {
      const std::string text = word_of_text(random, 20);
      put(bytes, text.size(), std::size_t{1} << format.between(0, 2));
      bytes += text;
    }
  }
}

/// Adds a length before the content of some formats, as Godot does over TCP.
std::string framed(std::string content, Random &format) {
  std::string bytes;
  if (format.one_in(2)) put(bytes, content.size(), 4);
  return bytes + content;
}

/// One to six fields of any types: a random schema.
std::string schemas(const ConversationState &state) {
  Random format = of_conversation(state);
  std::string bytes;
  const std::uint32_t count = format.between(1, 6);
  for (std::uint32_t i = 0; i < count; ++i) put_field(bytes, state, format);
  return framed(bytes, format);
}

/// The id of one of up to twenty objects, and some reals of the object.
std::string structs(const ConversationState &state) {
  Random format = of_conversation(state);
  std::string bytes;
  const std::uint32_t first = format.between(0, 60);
  const std::uint32_t reals = format.between(1, 12);
  put(bytes, first + state.random.between(0, format.between(0, 19)), 4);
  for (std::uint32_t i = 0; i < reals; ++i) {
    put_float(bytes, static_cast<float>(state.random.between(0, 20000)) / 16 - 600);
  }
  return framed(bytes, format);
}

/// A kind, a count and that many keys.
std::string kinds(const ConversationState &state) {
  Random format = of_conversation(state);
  std::string bytes;
  const std::uint32_t first = format.between(0, 40);
  put(bytes, first + state.random.between(0, format.between(0, 4)), 4);
  const std::uint32_t count = state.random.between(0, 6);
  put(bytes, count, 4);
  const bool has_value = format.one_in(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    put(bytes, state.random.between(0, 1000), 4);
    if (has_value) put(bytes, state.random.between(0, 1000), 4);
  }
  return framed(bytes, format);
}

/// Another game's ENet: connects, then sends messages in a custom format. Both sides have ENet peer id 0.
std::string enet_games(const ConversationState &state) {
  Random format = of_conversation(state);
  std::string bytes;
  if (state.number == 0) {
    put(bytes, 0x8fff, 2, true);
    put(bytes, 1000, 2, true);
    put(bytes, 0x82ff'0001, 4, true);
    put(bytes, 0x0000'ffff, 4, true);
    const std::uint32_t channels = format.one_in(3) ? 255 : format.between(1, 4);
    for (const std::uint32_t word : {1392U, 65536U, channels, 0U, 0U, 5000U, 2U, 2U, 0x1234567U, 0U}) {
      put(bytes, word, 4, true);
    }
    return bytes;
  }
  std::string message;
  const std::uint32_t count = format.between(1, 6);
  for (std::uint32_t i = 0; i < count; ++i) put_field(message, state, format);
  put(bytes, 0x8000, 2, true);
  put(bytes, 1000 + 10 * state.number, 2, true);
  put(bytes, 0x8600, 2, true);
  put(bytes, state.number, 2, true);
  put(bytes, message.size(), 2, true);
  return bytes + message;
}

/// The fields of an ENet datagram and of its commands. Each field is plausible by itself, but the lengths are right
/// only by chance.
std::string enet_like(const ConversationState &state) {
  Random &random = state.random;
  std::string bytes;
  const std::uint32_t peer = random.one_in(4) ? 0xfff : random.between(0, 32);
  const std::uint32_t flags = state.format_number % 3 == 0 ? random.between(0, 15) : 8;  // mostly: sent time only
  put(bytes, flags << 12 | peer, 2, true);
  if ((flags & 8) != 0) put(bytes, state.counter + 10 * state.number, 2, true);
  for (std::uint32_t count = random.one_in(4) ? random.between(2, 5) : 1; count > 0; --count) {
    put(bytes, random.between(0, 12) | (random.one_in(2) ? 0x80 : 0), 1);
    put(bytes, random.one_in(8) ? 0xff : random.between(0, 3), 1);
    put(bytes, random.one_in(4) ? random.word() : random.between(0, 40), 2, true);
    const std::uint32_t rest = random.one_in(3) ? random.between(0, 100) : 2 * random.between(0, 12);
    if (random.one_in(3)) put(bytes, rest, 2, true);
    put_noise(bytes, random, rest);
  }
  return bytes;
}

/// The first byte of a command of the high-level multiplayer, with or without flags, and content that such a command
/// could have.
std::string mp_like(const ConversationState &state) {
  Random &random = state.random;
  std::string bytes;
  put(bytes, random.between(0, 7) | (random.one_in(3) ? random.between(0, 31) << 3 : 0), 1);
  switch (state.format_number % 4) {
    case 0:
      put_noise(bytes, random, any_size(random));
      break;
    case 1:
      put(bytes, random.between(1, 100), 4);
      bytes += word_of_text(random) + '/' + word_of_text(random);
      if (random.one_in(2)) bytes += '\0';
      break;
    case 2:
      for (std::uint32_t left = random.between(0, 12); left > 0; --left) put(bytes, random.between(0, 40), 4);
      break;
    default:
      for (std::uint32_t left = random.between(0, 24); left > 0; --left) put(bytes, random.between(0, 40), 1);
  }
  return bytes;
}

/// A packet of another protocol. Its front lacks bytes or has additional bytes, and it is truncated at any byte.
std::string cut(const ConversationState &state, const std::vector<std::string> &payloads) {
  Random &random = state.random;
  // The packets of a conversation are consecutive packets of the file.
  std::string bytes = payloads[(state.counter + state.number) % payloads.size()];
  const std::uint32_t shift = state.format_number / 2 % 16 + 1;
  if (state.format_number % 2 == 0 && bytes.size() > shift) {
    bytes.erase(0, shift);
  } else {
    std::string front;
    put_noise(front, random, shift);
    if (state.format_number % 4 == 1) std::fill(front.begin(), front.end(), '\0');
    bytes.insert(0, front);
  }
  if (random.one_in(2)) bytes.resize(random.between(1, static_cast<std::uint32_t>(bytes.size())));
  if (bytes.size() > 1400) bytes.resize(1400);
  return bytes;
}

// --- Packets of pcap files, for the class "cut"

std::uint32_t read(std::string_view bytes, std::size_t offset, std::size_t size, bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(offset + (big_endian ? i : size - 1 - i)));
  }
  return value;
}

/// Returns the payload of an Ethernet frame with IPv4 and UDP or TCP; empty for other frames.
std::string_view payload_of(std::string_view frame) {
  if (frame.size() < 34 || read(frame, 12, 2, true) != 0x0800) return {};
  const std::string_view ip = frame.substr(14, read(frame, 16, 2, true));
  const std::size_t header = std::size_t{4} * (read(ip, 0, 1, true) & 15);
  const std::uint32_t protocol = read(ip, 9, 1, true);
  if ((protocol != 6 && protocol != 17) || ip.size() < header + 20) return {};
  return ip.substr(header + (protocol == 17 ? 8 : (read(ip, header + 12, 1, true) >> 4) * 4));
}

std::vector<std::string> payloads_of(const std::vector<std::string> &paths) {
  std::vector<std::string> payloads;
  for (const std::string &path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    constexpr std::uint32_t ethernet = 1;
    if (text.size() < 24 || read(text, 0, 4, false) != 0xa1b2c3d4 || read(text, 20, 4, false) != ethernet) {
      throw std::runtime_error(path + ": not a pcap file of Ethernet frames");
    }
    for (std::size_t offset = 24; offset < text.size();) {
      const std::size_t length = read(text, offset + 8, 4, false);
      const std::string_view payload = payload_of(std::string_view(text).substr(offset + 16, length));
      if (!payload.empty()) payloads.emplace_back(payload);
      offset += 16 + length;
    }
  }
  if (payloads.empty()) throw std::runtime_error("the class 'cut' needs pcap files with packets in them");
  return payloads;
}

// --- All classes

const std::vector<std::pair<std::string, Class>> all_classes{
    {"random", random_packet},
    {"zeros", zeros},
    {"ascii", ascii},
    {"counters", counters},
    {"records", records},
    {"first_words", first_words},
    {"enet_like", enet_like},
    {"mp_like", mp_like},
    {"schemas", schemas},
    {"structs", structs},
    {"kinds", kinds},
    {"enet_games", enet_games},
    {"cut", {}},  // its function is made from its files
};

}  // namespace

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const auto &[name, make] : all_classes) names.push_back(name);
  return names;
}

Class class_of(const std::string &name, const std::vector<std::string> &pcap_files) {
  const auto named =
      std::find_if(all_classes.begin(), all_classes.end(), [&](const auto &item) { return item.first == name; });
  if (named == all_classes.end()) throw std::runtime_error("no class " + name);
  if (named->second) return named->second;
  return [payloads = payloads_of(pcap_files)](const ConversationState &state) { return cut(state, payloads); };
}

void generate(const Class &make, bool alone, bool tcp, std::uint64_t packets, std::uint64_t seed,
              ConversationSink &receiver) {
  Random random(seed);
  while (packets > 0) {
    receiver.begin_conversation(random);
    ConversationState state{random, 0, static_cast<std::uint32_t>(random.word()), random.between(0, 0xffff)};
    const std::uint64_t length = std::min<std::uint64_t>(packets, alone ? 1 : random.between(2, 20));
    if (tcp && random.one_in(2)) receiver.shake_hands();  // otherwise the capture began after the handshake
    for (; state.number < length; ++state.number) {
      std::string payload = make(state);
      if (payload.empty()) payload.assign(1, '\0');
      receiver.packet(state.number == 0 || !random.one_in(3), payload);
    }
    packets -= length;
  }
}

std::uint64_t number_of(const std::string &text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw std::runtime_error(text + " is no number");
  return value;
}

}  // namespace recognition
