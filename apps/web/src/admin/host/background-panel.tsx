import { useId } from 'preact/hooks'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

/** The music under a chat: shows it, and lets the host choose where the station allows that. */
export function BackgroundPanel() {
  const { host, state, t } = useStudio()
  const { mode, chosenId, playing, choices, total } = state.background
  const name = useId()
  return (
    <PanelSection title={t.background}>
      <p role="status">{playing && t.backgroundPlays(titleOfFile(playing))}</p>
      {total === 0 ? (
        <p class="hint">{t.backgroundEmpty}</p>
      ) : (
        mode === 'random' && <p class="hint">{t.backgroundRandom}</p>
      )}
      {mode === 'hostChoice' && total > 0 && (
        <ul class="rows">
          {[{ id: null, filename: t.backgroundNone }, ...choices].map(({ id, filename }) => (
            <li key={id}>
              <label>
                <input
                  type="radio"
                  name={name}
                  checked={chosenId === id}
                  onChange={() => host.chooseBackground(id)}
                />
                {titleOfFile(filename)}
              </label>
            </li>
          ))}
        </ul>
      )}
      {mode === 'hostChoice' && choices.length < total && (
        <button type="button" class="plain" onClick={host.loadMoreBackground}>
          {t.more}
        </button>
      )}
    </PanelSection>
  )
}

const titleOfFile = (filename: string) => filename.replace(/\.mp3$/i, '')
