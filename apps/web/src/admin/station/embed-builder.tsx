import { type Locale, locales } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useAdmin } from '../data/panel.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { CopyButton } from './copy-button.tsx'
import { snippetFor } from './snippet.ts'
import { useStationTexts } from './texts.ts'

const layouts = ['compact', 'card'] as const
const themes = ['auto', 'day', 'night'] as const
const ways = ['component', 'frame'] as const

/** Makes the code with which another site shows the player, beside the player as it will look there. */
export function EmbedBuilder() {
  const t = useStationTexts()
  const admin = useAdmin()
  const [way, setWay] = useState<string>('component')
  const [layout, setLayout] = useState<string>('compact')
  const [theme, setTheme] = useState<string>('auto')
  const [language, setLanguage] = useState<Locale>(admin.locale)
  const { address, code, height } = snippetFor(location.origin, { way, layout, theme, language })
  const among = (ids: readonly string[], titles: Record<string, string>) =>
    ids.map((id) => ({ id, title: titles[id]! }))
  return (
    <section class="embed" aria-labelledby="embed-title">
      <h2 id="embed-title">{t.embed.title}</h2>
      <p class="hint">{t.embed.about}</p>
      <div class="embed-choices">
        <Choice
          legend={t.embed.layout}
          options={among(layouts, t.embed.layouts)}
          chosen={layout}
          onChoose={setLayout}
        />
        <Choice
          legend={t.embed.theme}
          options={among(themes, t.embed.themes)}
          chosen={theme}
          onChoose={setTheme}
        />
        <Choice
          legend={t.embed.language}
          options={among(locales, t.languages)}
          chosen={language}
          onChoose={(id) => setLanguage(id as Locale)}
        />
        <Choice legend={t.embed.way} options={among(ways, t.embed.ways)} chosen={way} onChoose={setWay} />
      </div>
      <iframe
        class="embed-preview"
        title={t.embed.preview}
        src={address}
        height={height}
        data-layout={layout}
      />
      <p class="hint">{t.embed.wayHints[way as 'frame']}</p>
      <textarea
        class="embed-code"
        aria-label={t.embed.code}
        readOnly
        rows={3}
        spellcheck={false}
        value={code}
      />
      <p>
        <CopyButton text={code} about={t.embed.code} />
      </p>
    </section>
  )
}
