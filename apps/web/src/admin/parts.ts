import type { Locale } from '@solstice/contracts'
import type { ComponentType } from 'preact'
import { lazyPage } from '../ui/loading/lazy-page.tsx'
import type { AccessRule } from './data/access.ts'
import type { IconName } from './ui/icon.tsx'

export type PartId =
  | 'on-air'
  | 'library'
  | 'add'
  | 'sounds'
  | 'programme'
  | 'live'
  | 'donations'
  | 'history'
  | 'watch'
  | 'station'
  | 'me'

/** A part of the panel: an entry of the rail, at `/adpanel/<id>`. */
export interface Part {
  id: PartId
  icon: IconName
  title: Record<Locale, string>
  /** Pressed after `g`. */
  key: string
  access: AccessRule
  /** Fetched when it is first shown. */
  Component: ComponentType
}

/** All parts, in the order of the rail. */
export const parts: readonly Part[] = [
  {
    id: 'on-air',
    icon: 'onAir',
    title: { uk: 'Ефір', en: 'On air' },
    key: 'a',
    access: {},
    Component: lazyPage(async () => (await import('./on-air/on-air-part.tsx')).OnAirPart),
  },
  {
    id: 'library',
    icon: 'library',
    title: { uk: 'Бібліотека', en: 'Library' },
    key: 'l',
    access: {},
    Component: lazyPage(async () => (await import('./library/library-part.tsx')).LibraryPart),
  },
  {
    id: 'add',
    icon: 'add',
    title: { uk: 'Додати музику', en: 'Add music' },
    key: 'n',
    access: { allOf: ['upload_songs'], capabilities: ['uploadTracks'] },
    Component: lazyPage(async () => (await import('./add/add-part.tsx')).AddPart),
  },
  {
    id: 'sounds',
    icon: 'sounds',
    title: { uk: 'Звуки', en: 'Sounds' },
    key: 's',
    // Where the station has none of them, the part says why.
    access: { allOf: ['jingles_uploader'] },
    Component: lazyPage(async () => (await import('./sounds/sounds-part.tsx')).SoundsPart),
  },
  {
    id: 'programme',
    icon: 'programme',
    title: { uk: 'Програма', en: 'Programme' },
    key: 'p',
    access: { anyOf: ['settings_algorithm', 'settings_groups', 'radio_moderator'] },
    Component: lazyPage(async () => (await import('./programme/programme-part.tsx')).ProgrammePart),
  },
  {
    id: 'live',
    icon: 'microphone',
    title: { uk: 'Наживо', en: 'Live' },
    key: 'v',
    access: { anyOf: ['radio_host', 'radio_moderator'], hosting: true },
    Component: lazyPage(async () => (await import('./host/live-part.tsx')).LivePart),
  },
  {
    id: 'donations',
    icon: 'donations',
    title: { uk: 'Донати', en: 'Donations' },
    key: 'd',
    access: { allOf: ['donations_manage'], capabilities: ['donations'] },
    Component: lazyPage(async () => (await import('./donations/donations-part.tsx')).DonationsPart),
  },
  {
    id: 'history',
    icon: 'history',
    title: { uk: 'Історія', en: 'History' },
    key: 'h',
    access: {},
    Component: lazyPage(async () => (await import('./history/history-part.tsx')).HistoryPart),
  },
  {
    id: 'watch',
    icon: 'watch',
    title: { uk: 'Моніторинг', en: 'Monitoring' },
    key: 'w',
    access: { allOf: ['stats'] },
    Component: lazyPage(async () => (await import('./watch/watch-part.tsx')).WatchPart),
  },
  {
    id: 'station',
    icon: 'station',
    title: { uk: 'Станція', en: 'Station' },
    key: 't',
    access: {},
    Component: lazyPage(async () => (await import('./station/station-part.tsx')).StationPart),
  },
  {
    id: 'me',
    icon: 'me',
    title: { uk: 'Мій профіль', en: 'My account' },
    key: 'm',
    access: {},
    Component: lazyPage(async () => (await import('./me/me-part.tsx')).MePart),
  },
]
