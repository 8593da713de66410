import { Icon as CommonIcon, type IconName as CommonName, LineIcon } from '../../ui/icons.tsx'

/** Those that only the panel has: listeners need not fetch them. */
const paths = {
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01',
  onAir:
    'M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M8.5 15.5a5 5 0 0 1 0-7M15.5 8.5a5 5 0 0 1 0 7M5.5 18.5a9.2 9.2 0 0 1 0-13M18.5 5.5a9.2 9.2 0 0 1 0 13',
  library: 'M5 4v16M9.5 4v16M14 4.5l5 15',
  add: 'M12 5v14M5 12h14',
  sounds: 'M4 12h2l2-6 3 13 3-10 2 5 1.5-2H20',
  programme: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3.5 2',
  donations: 'M4 7h16v11H4zM4 11h16M8 15h3',
  me: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5a7.5 7.5 0 0 1 15 0',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h5l1 2.5h4l1-2.5h5',
  skip: 'M5 5v14l9-7zM18 5v14',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.2h.01',
  leave: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8',
  undo: 'M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  upload: 'M12 16V5M7.5 9.5L12 5l4.5 4.5M5 19h14',
  edit: 'M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19z',
  grip: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  watch:
    'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  group: 'M4 6h16M4 12h16M4 18h10M19 16v6M16 19h6',
}

type PanelName = keyof typeof paths
export type IconName = CommonName | PanelName

const isOfPanel = (name: IconName): name is PanelName => name in paths

/** As the icon that all pages have. */
export function Icon({ name, size }: { name: IconName; size?: number }) {
  return isOfPanel(name) ? (
    <LineIcon path={paths[name]} size={size} />
  ) : (
    <CommonIcon name={name} size={size} />
  )
}
