import { useEffect, useMemo, useState } from 'preact/hooks'
import { apiUrl } from '../../../api.ts'
import { Confirm } from '../../confirm.tsx'
import { useCommand } from '../../data/commands.ts'
import { useUrlState } from '../../data/location.ts'
import { useQuery } from '../../data/query.ts'
import type { ReplyOf } from '../../data/routes.ts'
import { Choice } from '../../ui/fields/choice.tsx'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { List } from '../../ui/state/list.tsx'
import { useStationTexts } from '../texts.ts'
import { useOutdatedByEntries } from '../use-outdated.ts'
import { CropDrawer } from './crop-drawer.tsx'

type Art = ReplyOf<'GET /api/admin/artist-arts'>['items'][number]

const PAGE = 48
const MAX_FILE = 40 * 1024 * 1024
const filters = ['all', 'missing', 'day', 'night'] as const

/** The artists and their images, those without one first. */
export function Artwork() {
  const t = useStationTexts()
  const arts = useQuery('GET /api/admin/artist-arts')
  useOutdatedByEntries(/^artist_art_/, '/api/admin/artist-arts')
  return (
    <List state={arts} isEmpty={({ items }) => !items.length} empty={<p>{t.artsEmpty}</p>}>
      {({ items }) => <Gallery all={items} />}
    </List>
  )
}

function Gallery({ all }: { all: readonly Art[] }) {
  const t = useStationTexts()
  const [filter, setFilter] = useUrlState('show', 'all')
  const [query, setQuery] = useUrlState('q')
  const [most, setMost] = useState(PAGE)
  const [chosen, setChosen] = useState<{ artist: string; name: string; file: File } | null>(null)
  const { fresh, remember } = useFreshImages()
  const shown = useMemo(() => findArts(all, filter, query), [all, filter, query])
  const missing = all.filter(({ hasArt }) => !hasArt).length
  const upload = useCommand('POST /api/admin/artist-arts/upload', { outdates: ['/api/admin/artist-arts'] })
  const remove = useCommand('DELETE /api/admin/artist-arts/:artist', {
    outdates: ['/api/admin/artist-arts'],
  })
  const save = async (image: Blob) => {
    if (!chosen) return
    const { artist } = chosen
    if (!(await upload.run({ query: { artist }, body: image }))) return
    remember(artist, image)
    setChosen(null)
  }
  const how = { replace: true }
  return (
    <>
      <div class="station-tools">
        <SearchField label={t.searchArtist} value={query} onValue={(value) => setQuery(value, how)} />
        <Choice
          legend={t.show}
          isLegendUnseen
          options={filters.map((id) => ({ id, title: t.artFilters[id] }))}
          chosen={filter}
          onChoose={(id) => setFilter(id, how)}
        />
      </div>
      <p class="hint" role="status">
        {t.artsCount(shown.length, missing)}
      </p>
      <ul class="portraits">
        {shown.slice(0, most).map((art) => (
          <Portrait
            key={art.artist}
            art={art}
            image={fresh.get(art.artist)}
            onFile={(file) => setChosen({ artist: art.artist, name: art.name, file })}
            onDelete={() => void remove.run({ params: { artist: art.artist } })}
          />
        ))}
      </ul>
      {shown.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + PAGE)}>
          {t.moreArtists(shown.length - most)}
        </button>
      )}
      {chosen && (
        <CropDrawer
          key={chosen.artist}
          {...chosen}
          isBusy={upload.isBusy}
          onCropped={save}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}

function Portrait(props: {
  art: Art
  /** An image that was saved in this window: the browser may still have the former one. */
  image: string | undefined
  onFile: (file: File) => void
  onDelete: () => void
}) {
  const { art, image, onFile, onDelete } = props
  const t = useStationTexts()
  const { artist, name, hasArt } = art
  const label = hasArt ? t.replaceImage : t.chooseImage
  return (
    <li class="portrait">
      <label class="portrait-frame" data-empty={!hasArt} title={label}>
        <input
          class="unseen"
          type="file"
          accept="image/*"
          aria-label={`${label}: ${name}`}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file && file.size <= MAX_FILE) onFile(file)
            currentTarget.value = ''
          }}
        />
        {hasArt ? (
          <img
            src={image ?? apiUrl(`/api/admin/artist-arts/file/${encodeURIComponent(artist)}`)}
            alt=""
            loading="lazy"
          />
        ) : (
          <span class="portrait-none">
            <Icon name="picture" size={28} />
            {t.chooseImage}
          </span>
        )}
      </label>
      <b class="portrait-name">{name}</b>
      {hasArt && (
        <Confirm
          label={t.remove}
          about={name}
          sure={t.removeSure}
          yes={t.remove}
          no={t.no}
          onYes={onDelete}
        />
      )}
    </li>
  )
}

/** Images that were saved since this was opened, as addresses of this window. */
function useFreshImages() {
  const [fresh, setFresh] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => () => fresh.forEach((url) => void URL.revokeObjectURL(url)), [])
  const remember = (artist: string, image: Blob) =>
    setFresh((known) => new Map(known).set(artist, URL.createObjectURL(image)))
  return { fresh, remember }
}

function findArts(all: readonly Art[], filter: string, query: string): Art[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all
    .filter(({ artist, name, hasArt, modes }) => {
      if (filter === 'missing' && hasArt) return false
      if ((filter === 'day' || filter === 'night') && !modes.includes(filter)) return false
      return words.every((word) => artist.includes(word) || name.toLowerCase().includes(word))
    })
    .sort((a, b) => Number(a.hasArt) - Number(b.hasArt))
}
