import { type Locale, type Localized, listening, type SongNotification } from '@solstice/contracts'
import { findCover } from '../artwork/covers.ts'
import type { DataStore, NotificationRecord } from '../ports/data/data-store.ts'

/** Pixels. */
const ICON_SIZE = '256'
/** Push services take 4 KB, encryption included. */
const MAX_TEXT = 200

const titles: Record<'next' | 'on-air', Localized> = {
  next: { uk: 'Ваша пісня наступна', en: 'Your song is next' },
  'on-air': { uk: 'Ваша пісня вже в ефірі', en: 'Your song is on air' },
}

const pages: Record<Locale, string> = { uk: '/', en: '/en/' }

/** The message for one listener, in the listener's language. */
export async function messageFor(
  data: Pick<DataStore, 'tracks' | 'covers' | 'trackCovers'>,
  { id, lang, trackId }: Readonly<NotificationRecord>,
  moment: 'next' | 'on-air',
): Promise<SongNotification> {
  const track = await data.tracks.get(trackId)
  const cover = await findCover(data, trackId)
  const song = [track?.artist, track?.title].filter(Boolean).join(' – ')
  return {
    title: titles[moment][lang],
    body: clipped(song),
    ...(cover && { icon: listening.getCover.path.replace(':id', cover.id).replace(':size', ICON_SIZE) }),
    tag: id,
    url: pages[lang],
  }
}

function clipped(text: string): string {
  const letters = [...text]
  return letters.length > MAX_TEXT ? `${letters.slice(0, MAX_TEXT - 1).join('')}…` : text
}
