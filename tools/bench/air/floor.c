/* The cost of the same fan-out to the kernel alone: one thread that hands every listener a burst, then a write every 3 s, as
 * the service does. Compiled by `npm run bench` where there is a C compiler; Linux only. Prints `listening on <port>`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SLICES = 60, WRITE_MS = 2978, WRITE_BYTES = 47640, BURST_BYTES = 127040, MAX_HANDLES = 65536, EVENTS = 256 };

static const char HEAD[] = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nConnection: close\r\n\r\n";
static char sound[BURST_BYTES];

/* Listeners take turns, so that no moment has more work than another. `place` of a listener in its slice, plus one; 0 = it has
 * not asked yet. */
static int slices[SLICES][MAX_HANDLES];
static int sizes[SLICES];
static int slice_of[MAX_HANDLES], place[MAX_HANDLES];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void join(int handle) {
  static int arrivals;
  int slice = arrivals++ % SLICES;
  slice_of[handle] = slice;
  slices[slice][sizes[slice]++] = handle;
  place[handle] = sizes[slice];
}

static void leave(int handle) {
  if (place[handle] > 0) {
    int slice = slice_of[handle];
    int last = slices[slice][--sizes[slice]];
    slices[slice][place[handle] - 1] = last;
    place[last] = place[handle];
    place[handle] = 0;
  }
  close(handle);
}

static void answer(int handle) {
  char request[4096];
  ssize_t got = recv(handle, request, sizeof request, 0);
  if (got <= 0) {
    leave(handle);
    return;
  }
  if (place[handle] > 0) return;
  send(handle, HEAD, sizeof HEAD - 1, MSG_MORE | MSG_NOSIGNAL);
  send(handle, sound, BURST_BYTES, MSG_NOSIGNAL);
  join(handle);
}

/* A listener that has no room in its buffer misses this write, and one that is gone is told by epoll. */
static void take_turn(int slice) {
  for (int i = 0; i < sizes[slice]; i++) send(slices[slice][i], sound, WRITE_BYTES, MSG_NOSIGNAL);
}

static int listen_anywhere(void) {
  int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(server, (struct sockaddr *)&address, size) || listen(server, 4096)) fail("listen");
  getsockname(server, (struct sockaddr *)&address, &size);
  printf("listening on %d\n", ntohs(address.sin_port));
  fflush(stdout);
  return server;
}

static int start_timer(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct timespec period = {.tv_nsec = WRITE_MS * 1000000L / SLICES};
  struct itimerspec times = {.it_interval = period, .it_value = period};
  if (timer < 0 || timerfd_settime(timer, 0, &times, NULL)) fail("timer");
  return timer;
}

static void watch(int poll, int handle) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = handle};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, handle, &event)) fail("epoll_ctl");
}

static void accept_all(int poll, int server) {
  int on = 1;
  for (int handle; (handle = accept4(server, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    if (handle >= MAX_HANDLES) {
      close(handle);
      continue;
    }
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(poll, handle);
  }
}

int main(void) {
  struct rlimit handles;
  getrlimit(RLIMIT_NOFILE, &handles);
  handles.rlim_cur = handles.rlim_max;
  setrlimit(RLIMIT_NOFILE, &handles);
  memset(sound, 1, sizeof sound);
  int poll = epoll_create1(0), server = listen_anywhere(), timer = start_timer();
  watch(poll, server);
  watch(poll, timer);
  for (int turn = 0;;) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(poll, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      int handle = events[i].data.fd;
      uint64_t due;
      if (handle == server) accept_all(poll, server);
      else if (handle != timer) answer(handle);
      else if (read(timer, &due, sizeof due) == sizeof due)
        for (; due > 0; due--) take_turn(turn++ % SLICES);
    }
  }
}
