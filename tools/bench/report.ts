export function ratio(value: number, reference: number): string {
  return `${(value / reference).toFixed(2)} ×`
}

export function heading(text: string) {
  say(`\n${text}`)
}

export function row(name: string, ...cells: string[]) {
  say(`  ${name.padEnd(30)} ${cells.map((cell) => cell.padEnd(12)).join(' ')}`.trimEnd())
}

export function say(line: string) {
  process.stdout.write(`${line}\n`)
}
