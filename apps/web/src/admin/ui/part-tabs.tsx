import type { ComponentType } from 'preact'
import type { AccessRule } from '../data/access.ts'
import { useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { Tabs } from './fields/tabs.tsx'
import { Guarded } from './layers/guarded.tsx'

/** A tab of a part. */
export interface PartTab<Id extends string> {
  id: Id
  rule: AccessRule
  Content: ComponentType
}

/**
 * The tabs of a part that the station has, the chosen one in the address; at first the first that this account may use. One
 * that it may not use says why.
 */
export function PartTabs<Id extends string>(props: {
  label: string
  tabs: readonly PartTab<Id>[]
  titles: Readonly<Record<Id, string>>
}) {
  const { label, tabs, titles } = props
  const { verdict, may } = useAdmin()
  const shown = tabs.filter(({ rule }) => verdict(rule).is !== 'hidden')
  const usual = shown.find(({ rule }) => may(rule)) ?? shown[0]
  const [chosen, choose] = useUrlState('tab', usual?.id)
  const tab = shown.find(({ id }) => id === chosen) ?? usual
  if (!tab) return null
  return (
    <Tabs
      label={label}
      tabs={shown.map(({ id }) => ({ id, title: titles[id] }))}
      chosen={tab.id}
      onChoose={(id) => choose(id)}
    >
      <Guarded rule={tab.rule}>{may(tab.rule) && <tab.Content key={tab.id} />}</Guarded>
    </Tabs>
  )
}
