import { Icon } from '../../ui/icon.tsx'
import { Skeleton } from '../../ui/state/list.tsx'
import { useProgrammeTexts } from '../texts.ts'
import { MAX_GROUP_NAME_LENGTH } from './board.ts'
import type { Carrying } from './use-carrying.ts'

/** Cards of a column that are drawn; the search finds the others. */
const SHOWN = 100

/** Actions on a group as a whole. */
export interface GroupHeader {
  canEdit: boolean
  isFirst: boolean
  isLast: boolean
  rename(field: HTMLInputElement): void
  shift(by: -1 | 1): void
  remove(): void
}

/** A group with its artists; without a name those of no group. */
export function Column(props: {
  name: string | null
  artists: readonly string[]
  count: (artist: string) => number | null
  /** Tracks of the group; null where they are not counted. */
  songs: number | null
  /** Their part of the largest group's, 0 to 1. */
  part: number
  note: string
  carrying: Carrying
  header: GroupHeader | null
  /** A card is dragged over it. */
  isOver: boolean
  isLoading: boolean
}) {
  const { name, artists, count, songs, part, note, carrying, header, isOver, isLoading } = props
  const t = useProgrammeTexts()
  const { held } = carrying
  const title = name ?? t.unassigned
  return (
    <div class="board-column" data-loose={name === null} data-over={isOver}>
      {header && name !== null ? <Head name={name} header={header} /> : <p class="group-title">{title}</p>}
      <p class="group-about">
        {songs !== null && <b class="group-count">{t.songs(songs)}</b>}
        <span>{t.artists(artists.length)}</span>
        {note && <em title={name === null ? undefined : t.everyoneHint}>{note}</em>}
      </p>
      <div class="group-part" style={{ '--part': part }} />
      {held !== null && !artists.includes(held) && (
        <button
          type="button"
          class="move-here"
          aria-label={t.moveHereTo(held, title)}
          onClick={() => carrying.drop(held, name)}
        >
          {t.moveHere}
        </button>
      )}
      {isLoading && !artists.length ? (
        <Skeleton rows={4} />
      ) : (
        <ul class="artist-cards" aria-label={title}>
          {artists.slice(0, SHOWN).map((artist, i) => (
            <Card key={artist} artist={artist} songs={count(artist)} carrying={carrying} isFirst={i === 0} />
          ))}
          {!artists.length && <li class="group-empty">{t.emptyGroup}</li>}
          {artists.length > SHOWN && <li class="group-empty">{t.moreArtists(artists.length - SHOWN)}</li>}
        </ul>
      )}
    </div>
  )
}

/** One stop of the Tab key per column; arrows go from card to card. */
function Card(props: { artist: string; songs: number | null; carrying: Carrying; isFirst: boolean }) {
  const { artist, songs, carrying, isFirst } = props
  const t = useProgrammeTexts()
  const isHeld = carrying.held === artist
  return (
    <li>
      <button
        type="button"
        class="artist-card"
        data-artist={artist}
        data-absent={songs === 0}
        aria-pressed={isHeld}
        tabIndex={isFirst || isHeld ? 0 : -1}
        onClick={() => carrying.toggle(artist)}
        onPointerDown={(event) => carrying.grabbed(event, artist)}
        onKeyDown={(event) => carrying.pressed(event, artist)}
      >
        <span class="artist-name">{artist || '—'}</span>
        {songs !== null && (
          <span class="artist-songs">
            {songs}
            <span class="unseen"> {t.song}</span>
          </span>
        )}
      </button>
    </li>
  )
}

function Head({ name, header }: { name: string; header: GroupHeader }) {
  const t = useProgrammeTexts()
  const tool = (icon: 'back' | 'forward' | 'trash', label: string, run: () => void, isOff = false) => (
    <button type="button" class="tool" title={label} aria-disabled={isOff} onClick={() => !isOff && run()}>
      <span class={`group-${icon}`}>
        <Icon name={icon === 'trash' ? 'trash' : 'up'} size={16} />
      </span>
      <span class="unseen">{label}</span>
    </button>
  )
  return (
    <div class="group-head">
      <input
        class="group-name"
        aria-label={t.groupName}
        defaultValue={name}
        key={name}
        maxLength={MAX_GROUP_NAME_LENGTH}
        spellcheck={false}
        onBlur={({ currentTarget }) => header.rename(currentTarget)}
        onKeyDown={({ key, code, ctrlKey, metaKey, currentTarget }) => {
          if (key === 'Escape') currentTarget.value = name
          if (key === 'Enter' || key === 'Escape') currentTarget.blur()
          // Before Ctrl S saves.
          if (code === 'KeyS' && (ctrlKey || metaKey)) header.rename(currentTarget)
        }}
      />
      {header.canEdit && (
        <span class="group-tools">
          {tool('back', t.moveLeft(name), () => header.shift(-1), header.isFirst)}
          {tool('forward', t.moveRight(name), () => header.shift(1), header.isLast)}
          {tool('trash', t.removeGroup(name), header.remove)}
        </span>
      )}
    </div>
  )
}
