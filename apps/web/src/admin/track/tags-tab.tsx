import { apiUrl } from '../../api.ts'
import { Confirm } from '../confirm.tsx'
import { useCommand } from '../data/commands.ts'
import { useAdmin } from '../data/panel.ts'
import { storedToken } from '../session.ts'
import { Field } from '../ui/fields/field.tsx'
import { Guarded } from '../ui/layers/guarded.tsx'
import { type EditedTags, type TagName, tagProblems } from './draft/tags.ts'
import { OUTDATES, useLock, useTrack, useTrackTexts } from './use-track.ts'

const META = { allOf: ['editor_meta'], capabilities: ['editTrackMetadata'] } as const
const names: readonly TagName[] = ['title', 'artist', 'album', 'year']

/** The tags, and actions on the file. */
export function TagsTab(props: {
  tags: EditedTags
  onTags: (tags: EditedTags) => void
  onMoved: (id: string) => void
  onDeleted: () => void
}) {
  const { tags, onTags, onMoved, onDeleted } = props
  const t = useTrackTexts()
  const problems = tagProblems(tags)
  return (
    <>
      <Guarded rule={META}>
        <div class="track-tags">
          {names.map((name) => {
            const problem = problems[name]
            return (
              <Field
                key={name}
                label={t[name]}
                value={tags[name]}
                error={problem ? t.problems[problem] : null}
                onValue={(value) => onTags({ ...tags, [name]: value })}
                maxLength={1000}
              />
            )
          })}
        </div>
      </Guarded>
      <FileActions onMoved={onMoved} onDeleted={onDeleted} />
    </>
  )
}

function FileActions({ onMoved, onDeleted }: { onMoved: (id: string) => void; onDeleted: () => void }) {
  const { id, title, mode } = useTrack()
  const t = useTrackTexts()
  const lock = useLock(id)
  const move = useCommand('POST /api/admin/song-editor/move-mode', { outdates: OUTDATES })
  const remove = useCommand('DELETE /api/admin/song-editor', { outdates: OUTDATES })
  const target = mode === 'day' ? 'night' : 'day'
  return (
    <section class="track-file" aria-labelledby="track-file">
      <h3 id="track-file">{t.file}</h3>
      <p class="hint track-id">{id}</p>
      <Download id={id} />
      {!lock && (
        <Guarded rule={{ allOf: ['editor_meta'] }}>
          <Guarded rule={{ capabilities: ['moveTrackMode'] }}>
            <Confirm
              label={t.move[target]}
              about={title}
              sure={t.moveSure}
              yes={t.moveYes}
              no={t.no}
              onYes={async () => {
                const reply = await move.run({ body: { songId: id, targetMode: target } })
                if (reply) onMoved(reply.track.id)
              }}
            />
          </Guarded>
          <Guarded rule={{ capabilities: ['deleteTracks'] }}>
            <Confirm
              label={t.remove}
              about={title}
              sure={t.removeSure}
              yes={t.removeYes}
              no={t.no}
              onYes={async () => (await remove.run({ body: { songId: id } })) && onDeleted()}
            />
          </Guarded>
        </Guarded>
      )}
    </section>
  )
}

/** The file travels with the cookie; stations outside production have a token instead, which no link may carry. */
function Download({ id }: { id: string }) {
  const t = useTrackTexts()
  const { may } = useAdmin()
  const { title, artist } = useTrack()
  const href = apiUrl('/api/admin/song-editor/download', { songId: id })
  if (!may({ allOf: ['editor_meta'] })) return null
  const fetchFile = async (event: Event) => {
    const token = storedToken()
    if (!token) return
    event.preventDefault()
    const answer = await fetch(href, { headers: { Authorization: `Bearer ${token}` } })
    const url = URL.createObjectURL(await answer.blob())
    Object.assign(document.createElement('a'), { href: url, download: `${artist} - ${title}.mp3` }).click()
    URL.revokeObjectURL(url)
  }
  return (
    <a class="plain" href={href} download onClick={fetchFile}>
      {t.download}
    </a>
  )
}
