// Line icons in the manner of the lucide set: 24 units, strokes of 1.5, no fill.
const paths = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  lyrics: 'M4 6h16M4 11h10M4 16h13M4 21h7',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1-1',
  close: 'M6 6l12 12M18 6L6 18',
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
  history: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4h4M12 8v4l3 2',
  station: 'M5 20l5-15h4l5 15M7 14.5h10M3 20h18',
  more: 'M5 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M11.5 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0M18 12a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0',
  preferences: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 10.5v6M13.5 10.5v6',
  download: 'M12 5v11M7.5 11.5L12 16l4.5-4.5M5 19h14',
  elsewhere: 'M7 17L17 7M9 7h8v8',
  share: 'M12 15V4M8 7.5L12 4l4 3.5M6 11.5H5v8.5h14v-8.5h-1',
  sleep: 'M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 9v4.5l3 1.5M9 2.5h6',
  bell: 'M5 17.5h14l-1.8-2.7V10a5.2 5.2 0 0 0-10.4 0v4.8zM10 20.5a2.2 2.2 0 0 0 4 0',
  mini: 'M3 5h18v14H3zM12 12h6.5v4.5H12z',
  cast: 'M3 8V5h18v14h-7M3 19.5h.01M3 15.5a4 4 0 0 1 4 4M3 11.5a8 8 0 0 1 8 8',
}

export type IconName = keyof typeof paths

/** Decorative: the control around it has the label. @param size in px for letters of the usual size; it grows with them */
export function Icon({ name, size }: { name: IconName; size?: number }) {
  return <LineIcon path={paths[name]} size={size} />
}

export function LineIcon({ path, size = 22 }: { path: string; size?: number | undefined }) {
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
      <path d={path} />
    </svg>
  )
}
