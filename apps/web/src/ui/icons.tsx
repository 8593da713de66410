// Line icons in the manner of the lucide set: 24 units, strokes of 1.5, no fill.
const paths = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  lyrics: 'M4 6h16M4 11h10M4 16h13M4 21h7',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1-1',
  close: 'M6 6l12 12M18 6L6 18',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01',
  request: 'M9 18V6l11-2v8M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M17 15v6M14 18h6',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M15.5 15.5L20 20',
  support:
    'M12 20C7 16.2 4 13 4 9.4A4.4 4.4 0 0 1 8.4 5c1.5 0 2.8.8 3.6 2 .8-1.2 2.1-2 3.6-2A4.4 4.4 0 0 1 20 9.4c0 3.6-3 6.8-8 10.6z',
  fold: 'M6 15l6-6 6 6',
  forward: 'M9 6l6 6-6 6',
  unfold: 'M6 9l6 6 6-6',
  smaller: 'M4 18l4-11 4 11M5.4 14.5h5.2M15 12h6',
  larger: 'M4 18l4-11 4 11M5.4 14.5h5.2M15 12h6M18 9v6',
  start: 'M4 6h16M4 11h10M4 16h13',
  centre: 'M4 6h16M7 11h10M6 16h12',
  widen: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  narrow: 'M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5',
  microphone:
    'M12 15a3.5 3.5 0 0 0 3.5-3.5v-5a3.5 3.5 0 0 0-7 0v5A3.5 3.5 0 0 0 12 15M5 11.5a7 7 0 0 0 14 0M12 18.5V22',
  microphoneOff:
    'M3 3l18 18M15.5 11V6.5A3.5 3.5 0 0 0 8.7 5.3M8.5 9v2.5a3.5 3.5 0 0 0 5.5 2.9M19 11.5c0 1-.2 2-.6 2.8M5 11.5a7 7 0 0 0 11 5.7M12 18.5V22',
  message: 'M4 5h16v11H9l-5 4z',
  onAir:
    'M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M8.5 15.5a5 5 0 0 1 0-7M15.5 8.5a5 5 0 0 1 0 7M5.5 18.5a9.2 9.2 0 0 1 0-13M18.5 5.5a9.2 9.2 0 0 1 0 13',
  library: 'M5 4v16M9.5 4v16M14 4.5l5 15',
  add: 'M12 5v14M5 12h14',
  sounds: 'M4 12h2l2-6 3 13 3-10 2 5 1.5-2H20',
  programme: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3.5 2',
  donations: 'M4 7h16v11H4zM4 11h16M8 15h3',
  history: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4h4M12 8v4l3 2',
  station: 'M5 20l5-15h4l5 15M7 14.5h10M3 20h18',
  me: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5a7.5 7.5 0 0 1 15 0',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h5l1 2.5h4l1-2.5h5',
  more: 'M5 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M11.5 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M18 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0',
  preferences: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  skip: 'M5 5v14l9-7zM18 5v14',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 10.5v6M13.5 10.5v6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.2h.01',
  leave: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8',
  undo: 'M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  upload: 'M12 16V5M7.5 9.5L12 5l4.5 4.5M5 19h14',
  download: 'M12 5v11M7.5 11.5L12 16l4.5-4.5M5 19h14',
  edit: 'M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19z',
  grip: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  elsewhere: 'M7 17L17 7M9 7h8v8',
  share: 'M12 15V4M8 7.5L12 4l4 3.5M6 11.5H5v8.5h14v-8.5h-1',
  sleep: 'M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 9v4.5l3 1.5M9 2.5h6',
  bell: 'M5 17.5h14l-1.8-2.7V10a5.2 5.2 0 0 0-10.4 0v4.8zM10 20.5a2.2 2.2 0 0 0 4 0',
  mini: 'M3 5h18v14H3zM12 12h6.5v4.5H12z',
  cast: 'M3 8V5h18v14h-7M3 19.5h.01M3 15.5a4 4 0 0 1 4 4M3 11.5a8 8 0 0 1 8 8',
  group: 'M4 6h16M4 12h16M4 18h10M19 16v6M16 19h6',
}

export type IconName = keyof typeof paths

/** Decorative: the control around it has the label. @param size in px for letters of the usual size; it grows with them */
export function Icon({ name, size = 22 }: { name: IconName; size?: number }) {
  const side = `${size / 16}rem`
  return (
    <svg
      aria-hidden="true"
      class="icon"
      width={side}
      height={side}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  )
}
