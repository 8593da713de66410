import { useState } from 'preact/hooks'
import { Icon } from '../../../ui/icons.tsx'
import { Skeleton } from '../../ui/state/list.tsx'
import { useProgrammeTexts } from '../texts.ts'
import { MAX_GROUP_NAME_LENGTH } from './board.ts'
import type { Carrying } from './use-carrying.ts'

/** Cards of a column that are drawn; the search finds the others. */
const SHOWN = 100

/** What can be done with a group as a whole. */
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
  isLoading: boolean
}) {
  const { name, artists, count, songs, part, note, carrying, header, isLoading } = props
  const t = useProgrammeTexts()
  const [isOver, setOver] = useState(false)
  const { held } = carrying
  const title = name ?? t.unassigned
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: cards may be dropped here; the keyboard has the cards
    <div
      class="board-column"
      data-loose={name === null}
      data-over={isOver}
      onDragOver={(event) => {
        if (!carrying.isOn) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const artist = event.dataTransfer?.getData('text/plain')
        if (artist && carrying.isOn) carrying.drop(artist, name)
      }}
    >
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
    <li draggable={carrying.isOn} onDragStart={(event) => event.dataTransfer?.setData('text/plain', artist)}>
      <button
        type="button"
        class="artist-card"
        data-artist={artist}
        data-absent={songs === 0}
        aria-pressed={isHeld}
        tabIndex={isFirst || isHeld ? 0 : -1}
        onClick={() => carrying.toggle(artist)}
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
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur()
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
