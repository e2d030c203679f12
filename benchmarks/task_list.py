"""What a clinician and a statistician would try with the program, as lines of a shell, and what has to come of it."""

from typing import NamedTuple

CLINIC = "--event relapse --time years --id patient"
PLAIN = f"analyze relapse.csv {CLINIC} --unit years --no-backtest"


class Task(NamedTuple):
    who: str  # C: clinician, S: statistician
    aim: str
    command: str
    says: str  # a regular expression that what was printed has to match
    code: int = 0
    leaves: tuple[str, ...] = ()  # files that have to be there afterwards
    leaves_not: tuple[str, ...] = ()


TASKS = [
    Task("C", "Look at a table that nobody knows", "whether check clinic.csv", r"analyze clinic\.csv --event relapse"),
    Task("C", "Just analyse it, in a script", "whether analyze relapse.csv", r"analyze relapse\.csv --event", 2),
    Task(
        "C",
        "The same on a terminal, which asks",
        "printf '\\n\\n\\n\\n' | script -qec 'whether analyze relapse.csv --no-backtest -o asked' /dev/null",
        r"expected to have it eventually|lower bound|Between",
        0,
        ("asked/report.html",),
    ),
    Task("C", "The report", f"whether {PLAIN} -o report", r"with no recorded event", 0,
         ("report/report.html", "report/model.whether", "report/predictions.csv", "report/summary.json")),
    Task("C", "Is anybody named in what is passed on?", "grep -c P00 report/report.html report/summary.json",
         r"report\.html:0 report/summary\.json:0", 1),
    Task("C", "How would it have done earlier?", f"whether analyze relapse.csv {CLINIC} --unit years -o earlier",
         r"Backtest: with \d+ % of the events hidden"),
    Task("C", "An Excel workbook, a named sheet",
         f"whether check clinic.xlsx --sheet Patients {CLINIC}", r"analyze clinic\.xlsx .*--sheet Patients"),
    Task("C", "A workbook with several sheets, none named", f"whether check clinic.xlsx {CLINIC}",
         r"About.*Patients", 1),
    Task("C", "Stata, with value labels", "whether recommend clinic.dta --event relapse --event-value yes --time years "
         "--id patient", r"stage.*II"),
    Task("C", "SPSS, with value labels", "whether fit clinic.sav --event relapse --event-value yes --time years "
         "--id patient --method AFTMC-F -o sav.whether", r"stage=III|III"),
    Task("C", "Semicolons, decimal commas, an old encoding",
         f"whether fit german.csv {CLINIC} --method AFTMC-F -o german.whether", r"Model written to german\.whether"),
    Task("S", "From standard input", f"cat relapse.csv | whether recommend - {CLINIC}", r"Best available|Recommended"),
    Task("S", "One table in several files", f"whether fit 'part-*.csv' {CLINIC} --method AFTMC-F -o parts.whether",
         r"600 people"),
    Task("S", "A query to a database", "whether check clinic.sqlite --query 'select * from patients where age > 40' "
         "--event relapse --time years", r"analyze clinic\.sqlite"),
    Task("S", "A query that would write", f"whether check clinic.sqlite --query \"vacuum into 'x.db'\" {CLINIC}",
         r"a SELECT is needed", 1, (), ("x.db",)),
    Task("C", "A name mistyped", "whether check relapse.csv --event relaps", r"[Dd]id you mean 'relapse'", 1),
    Task("C", "A name in the wrong case", "whether check relapse.csv --event Relapse", r"[Dd]id you mean 'relapse'", 1),
    Task("C", "Dates instead of times", "whether recommend dates.csv --event-date relapsed --entry surgery "
         "--last-contact last_seen --id patient", r"Best available|Recommended"),
    Task("C", "Deaths: before death", "whether analyze deaths.csv --event status --event-value relapse "
         "--competing died --time years --id patient --no-backtest -o lifetime", r"before they die|before death"),
    Task("C", "Deaths: in a world without them", "whether analyze deaths.csv --event status --event-value relapse "
         "--competing died --question net --time years --id patient --no-backtest -o net", r"without other deaths"),
    Task("S", "Late entry", "whether fit registry.csv --event event --time time --entry-time entered --method AFTMC-F "
         "-o late.whether", r"Model written to late\.whether"),
    Task("S", "Events between two visits", f"whether fit visits.csv {CLINIC} --time-lower free_at --method AFTMC-F "
         "-o visits.whether", r"Model written to visits\.whether"),
    Task("C", "By group", f"whether {PLAIN} --by stage -o groups", r"stage|III"),
    Task("S", "Two eyes of a person", "whether fit eyes.csv --event relapse --time years --group patient "
         "--method AFTMC-F -o eyes.whether", r"600 rows in 300 groups"),
    Task("C", "Everybody has the event", f"whether analyze everybody.csv {CLINIC} -o everybody", r"Everybody has the "
         "event", 1, (), ("everybody",)),
    Task("C", "Nobody has it", f"whether analyze nobody.csv {CLINIC} -o nobody", r"[Nn]obody|no event|0 ", 1, (),
         ("nobody",)),
    Task("C", "Follow-up far too short", f"whether analyze short.csv {CLINIC} --no-backtest -o short",
         r"At least|Between|lower bound"),
    Task("C", "A code for missing values", f"whether check codes.csv {CLINIC}", r"-99|−99"),
    Task("C", "A column that gives the outcome away", f"whether check leak.csv {CLINIC}", r"cause"),
    Task("C", "No times at all", "whether recommend no-times.csv --event relapse --id patient",
         r"equally likely to be recorded"),
    Task("C", "A file that is no table", f"whether check damaged.csv {CLINIC}", r"damaged\.csv", 1),
    Task("S", "Which method, and why", f"whether recommend relapse.csv {CLINIC}", r"Best available|Recommended"),
    Task("S", "The evidence, for a program", f"whether examine relapse.csv {CLINIC} --json | head -c 60",
         r"\{ ?\"command\": \"examine\""),
    Task("S", "A picture of the evidence", f"whether examine relapse.csv {CLINIC} -o evidence.png", r"evidence\.png", 0,
         ("evidence.png",)),
    Task("S", "How far the answer moves", f"whether sensitivity relapse.csv {CLINIC}", r"mean risk|Mean risk"),
    Task("S", "A rehearsal of three methods",
         f"whether backtest relapse.csv {CLINIC} --methods LR,ENPU,AFTMC-F", r"AFTMC-F"),
    Task("S", "Coefficients with ratios", f"whether fit relapse.csv {CLINIC} --method AFTMC-F -o model.whether",
         r"odds ratio.*time ratio", 0, ("model.whether",)),
    Task("S", "Maximum likelihood, no features", "whether fit relapse.csv --event relapse --time years --features none "
         "--method AFTMC-F --penalty none -o ml.whether", r"Model written to ml\.whether"),
    Task("S", "A share that is known from elsewhere", f"whether fit relapse.csv {CLINIC} --method AFTMC-F "
         "--prevalence 0.5 --prevalence-error 0.02 -o known.whether", r"Model written to known\.whether"),
    Task("S", "Trees instead of lines", f"whether fit relapse.csv {CLINIC} --method AFTMC-F --learner boosted "
         "-o trees.whether", r"boosted"),
    Task("C", "Risks of new people", "whether predict model.whether new.csv --id patient -o risks.csv && head -2 "
         "risks.csv", r'"risk_lower","risk_upper" "P00000",0\.\d+'),
    Task("C", "Within five years, for people event-free so far", "whether predict model.whether new.csv --within 5 "
         "--event-free-for event_free -o when.csv && head -1 when.csv", r'"still_to_come","risk_within"'),
    Task("C", "New people without a column", "whether predict model.whether no-age.csv -o x.csv", r"'age'", 1, (),
         ("x.csv",)),
    Task("C", "Somebody aged 240", "whether predict model.whether age-240.csv -o old.csv", r"age"),
    Task("S", "A closed pipe", f"whether recommend relapse.csv {CLINIC} | head -1", r"."),
    Task("S", "Writing to a device", f"whether fit relapse.csv {CLINIC} --method LR -o /dev/stdout",
         r"/dev/stdout", 2),
    Task("S", "Over a file that is not ours", f"whether fit relapse.csv {CLINIC} --method LR -o thesis.txt; "
         "code=$?; cat thesis.txt; exit $code", r"Chapter one.*--force", 2),
    Task("S", "The same, meant", f"whether fit relapse.csv {CLINIC} --method LR --force -o thesis.txt",
         r"Model written to thesis\.txt"),
    Task("S", "An option that is empty", f"whether fit relapse.csv {CLINIC} --features '' -o x.whether",
         r"--features is empty", 2, (), ("x.whether",)),
    Task("S", "A damaged model file", "head -c 4000 model.whether > half.whether; whether predict half.whether "
         "new.csv -o x.csv", r"half\.whether.*damaged", 1, (), ("x.csv",)),
    Task("S", "Numbers for a script",
         "python -c \"import json; print(list(json.load(open('report/summary.json'))))\"", r"\['"),
]  # fmt: skip
