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
}

export type IconName = keyof typeof paths

/** Decorative: the control around it has the label. */
export function Icon({ name, size = 22 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      class="icon"
      width={size}
      height={size}
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
