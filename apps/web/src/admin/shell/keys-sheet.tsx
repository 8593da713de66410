import { useStore } from '../../ui/store.ts'
import { areKeysOn, keySets, setKeysOn } from '../data/keys.ts'
import { useAdmin, useTexts } from '../data/panel.ts'
import type { Part } from '../parts.ts'
import { Drawer } from '../ui/layers/drawer.tsx'

/** Every key that works now, and the switch that turns single letters off. */
export function KeysSheet({ parts, onClose }: { parts: readonly Part[]; onClose: () => void }) {
  const t = useTexts()
  const { locale } = useAdmin()
  const sets = useStore(keySets)
  const isOn = useStore(areKeysOn)
  const everywhere = [
    { key: 'Ctrl K', label: t.palette },
    ...parts.map(({ key, title }) => ({ key: `g ${key}`, label: title[locale] })),
  ]
  return (
    <Drawer title={t.keys} onClose={onClose}>
      <label class="switch">
        <input type="checkbox" checked={isOn} onChange={(event) => setKeysOn(event.currentTarget.checked)} />
        {t.keysOn}
      </label>
      {[...sets]
        .reverse()
        .filter(({ title, keys }) => keys.length || title === t.keysEverywhere)
        .map(({ title, keys }) => (
          <section key={title} class="keys">
            <h3>{title}</h3>
            <dl>
              {[
                ...(title === t.keysEverywhere ? everywhere : []),
                ...keys.filter(({ key }) => key !== 'g'),
              ].map(({ key, label }) => (
                <div key={key}>
                  <dt>
                    <kbd>{key.length === 1 ? key.toUpperCase() : key}</kbd>
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </Drawer>
  )
}
