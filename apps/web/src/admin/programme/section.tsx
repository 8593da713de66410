import type { Privilege } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import type { Denial } from '../data/access.ts'
import { useAdmin } from '../data/panel.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { useProgrammeTexts } from './texts.ts'

/** A part of the settings: those without its right read it, and see which right is missing. */
export function Section(props: { title: string; right: Privilege; children: ComponentChildren }) {
  const { title, right, children } = props
  const t = useProgrammeTexts()
  const { canEdit, denial } = useRight(right)
  return (
    <section class="rules">
      <h2>{title}</h2>
      {!canEdit && (denial ? <Denied right={denial} /> : <p class="denied">{t.readOnly}</p>)}
      <fieldset class="rules-fields" disabled={!canEdit}>
        <legend class="unseen">{title}</legend>
        {children}
      </fieldset>
    </section>
  )
}

/** True when somebody with this right can change settings here. */
export function useRight(right: Privilege): { canEdit: boolean; denial: Denial | null } {
  const { verdict, config } = useAdmin()
  const found = verdict({ allOf: [right] })
  const denial = found.is === 'denied' ? found : null
  return { canEdit: found.is === 'open' && config.capabilities.editSettings, denial }
}
