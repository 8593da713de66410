import type { Privilege } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useAdmin } from '../data/panel.ts'
import { Denied } from '../ui/layers/guarded.tsx'
import { useProgrammeTexts } from './texts.ts'

/** A part of the settings: those without its right read it, and see which right is missing. */
export function Section(props: { title: string; right: Privilege; children: ComponentChildren }) {
  const { title, right, children } = props
  const t = useProgrammeTexts()
  const { canEdit, missing } = useRight(right)
  return (
    <section class="rules">
      <h2>{title}</h2>
      {!canEdit && (missing.length ? <Denied missing={missing} /> : <p class="denied">{t.readOnly}</p>)}
      <fieldset class="rules-fields" disabled={!canEdit}>
        <legend class="unseen">{title}</legend>
        {children}
      </fieldset>
    </section>
  )
}

/** True when somebody with this right can change settings here. */
export function useRight(right: Privilege): { canEdit: boolean; missing: readonly Privilege[] } {
  const { verdict, config } = useAdmin()
  const found = verdict({ allOf: [right] })
  const missing = found.is === 'denied' ? found.missing : []
  return { canEdit: found.is === 'open' && config.capabilities.editSettings, missing }
}
